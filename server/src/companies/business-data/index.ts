/**
 * Business data: what partners share about a company, whether it is a borrower or not, stored by
 * partner and company. Duplicates count once. Data outside a batch counts at once. Data in a batch
 * counts once the batch is closed. Closing is refused while the content differs from the
 * announcement. Other modules react to the fact `business_data_shared`. The module also looks up
 * companies in registries and describes the types of data that a company may be asked for.
 */
export { finishDataBatch } from './close-batch.ts'
export { readSharedFigures } from './shared-figures.ts'
