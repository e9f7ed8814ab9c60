/** The service's bank adapters, plus one for tests: adding a bank takes a folder and a line. */
export * from '../../src/integrations/adapters/index.ts'
export { memory } from './memory/index.ts'
