/** A bank's files (ISO 20022). Reads camt.053, camt.054 and pain.002, without booking them. */
export { type BankFileSummary, summarizeBankFile, unreadable } from './reading/summary.ts'
