/** The banks of the service, and one more: a folder beside this file, and a line in it. */
export * from '../../src/outside/adapters/index.ts'
export { memory } from './memory/index.ts'
