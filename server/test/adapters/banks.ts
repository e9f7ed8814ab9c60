/** The service's banks, plus one for tests: a new bank takes a folder and one line here. */
export * from '../../src/integrations/adapters/index.ts'
export { memory } from './memory/index.ts'
