/**
 * The books. Rooms state a fact once, in the transaction that made it true: they take the pure
 * postings of `entries` and hand them to `post`, the only writer. The database refuses an entry
 * that does not balance and any later change; `sealEntries` chains what is committed;
 * `verifyLedger` recomputes everything. A balance is derived, never a fact of its own.
 */
export {
  type Basis,
  type Cut,
  OWNED_CODES,
  ownedBalances,
  readTurnover,
  type Span,
  type Turnover,
  within,
} from './balances.ts'
export { type AccountCode, chart } from './chart.ts'
export { type Checks, type Finding, runChecks } from './checks.ts'
export {
  type EntryKind,
  type LoanTotals,
  loanBalances,
  loanPostings,
  type OtherSide,
  type Posting,
  suspensePostings,
  transferPostings,
} from './entries.ts'
export { lenderBalance } from './lender-balance.ts'
export { type Entry, post } from './post.ts'
export { sealEntries } from './seal.ts'
export { type LedgerReport, verifyLedger } from './verify.ts'
