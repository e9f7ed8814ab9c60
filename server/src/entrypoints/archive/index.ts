/**
 * Exports everything to one file and imports it again: to move from the embedded database to an
 * external PostgreSQL or back, or to another machine. `writeArchive` captures a single moment while
 * the service keeps running; `readArchive` loads the file into an empty database, which gets the
 * schema of the file, completely or not at all.
 */
export type { Progress } from './format.ts'
export { readArchive } from './read-archive.ts'
export { writeArchive } from './write-archive.ts'
