/** The available bank adapters, each a folder and a line here. */
export { files } from './file-bank/index.ts'
export { sandbox } from './sandbox/index.ts'
