/** The service's bank adapters, plus two for tests: adding a bank takes a folder and a line. */
export * from '../../src/integrations/adapters/index.ts'
export { memory, second } from './memory/index.ts'
