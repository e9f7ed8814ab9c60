/**
 * One file with everything in it, for moving out and in again: from the embedded database to an
 * outside PostgreSQL or back, or to another machine. `writeArchive` takes it as of one moment
 * while the service goes on; `readArchive` puts it into an empty database of the same schema,
 * whole or not at all.
 */
export type { Progress } from './format.ts'
export { readArchive } from './read-archive.ts'
export { writeArchive } from './write-archive.ts'
