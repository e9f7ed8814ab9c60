/**
 * Business data: what partners share of companies, kept by partner and company, whether it is a
 * borrower or not yet. The same data twice count once. In a batch they wait until what came is
 * what was announced, and count together once it is closed; otherwise at once. Whoever draws
 * conclusions is told by the fact `business_data_shared`. What registers know of a company, and
 * what may be asked of it, is answered here too.
 */
export { finishDataBatch } from './close-batch.ts'
export { readSharedFigures } from './shared-figures.ts'
