/** The banks of the service, plus one for tests: a folder next to this file, and a line in it. */
export * from '../../src/integrations/adapters/index.ts'
export { memory } from './memory/index.ts'
