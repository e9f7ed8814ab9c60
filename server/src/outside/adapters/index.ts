/** The banks to choose from, each a folder and a line here. */
export { sandbox } from './sandbox/index.ts'
