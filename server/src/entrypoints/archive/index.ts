/**
 * Exports everything to one file and imports it again: to move from the embedded database to an
 * external PostgreSQL or back, or to another machine. `writeArchive` captures a single moment while
 * the service keeps running. `readArchive` loads the file, completely or not at all, into an empty
 * database, which gets the file's schema.
 */
export type { Progress } from './format.ts'
export { readArchive } from './read-archive.ts'
export { writeArchive } from './write-archive.ts'
