/**
 * Reports from the ledger, for lenders and their accountants. They only read. Each reconciles its
 * figures with the postings and lists the result in `reconciled`: if a difference appears there, do
 * not trust the report. docs/reports.md defines every figure.
 */
export { REPORTS, type ReportName, readReport } from './catalogue.ts'
export { readReportParameters } from './parameters.ts'
export { type Reconciled, type Report, type ReportParameters, type Row, wireOf } from './report.ts'
export { writeReport } from './write-report.ts'
