/** The available bank adapters, each a folder and a line here. */
export { sandbox } from './sandbox/index.ts'
