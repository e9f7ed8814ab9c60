/**
 * Reports from the ledger, for lenders and their accountants. They only read. Each reconciles its
 * figures with the postings and lists the result in `reconciled`: if a difference appears there, do
 * not trust the report. docs/reports.md defines every figure.
 */
export { REPORTS, type ReportName, readReport } from './catalogue.ts'
export { type Reconciled, type Report, type Row, type Wish, wireOf } from './report.ts'
export { readWish } from './wish.ts'
export { writeReport } from './write-report.ts'
