/**
 * Reports: what the books say of the business, for those who lend and for their accountants. They
 * read and never write. Each ties its figures to the postings, and says in `reconciled` what it
 * was held against: where a difference is told, the report is not to be trusted. What each figure
 * means is told in docs/reports.md.
 */
export { REPORTS, type ReportName, readReport } from './catalogue.ts'
export { type Reconciled, type Report, type Row, type Wish, wireOf } from './report.ts'
export { readWish } from './wish.ts'
export { writeReport } from './write-report.ts'
