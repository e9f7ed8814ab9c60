/** The service's banks and one for tests, which shows that a new bank takes a folder and a line. */
export * from '../../src/integrations/adapters/index.ts'
export { memory } from './memory/index.ts'
