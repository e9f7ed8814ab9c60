/**
 * Business data: what partners share about a company, whether it is a borrower or not, stored by
 * partner and company. Duplicates count once. Data outside a batch counts at once; in a batch it
 * waits until everything announced has arrived, and counts once it is closed. Other modules react
 * to the fact `business_data_shared`. The module also looks up companies in registries and lists
 * the data that a company may be asked for.
 */
export { finishDataBatch } from './close-batch.ts'
export { readSharedFigures } from './shared-figures.ts'
