/**
 * The books. Modules record a fact once, in the transaction that establishes it: they pass postings
 * built by the pure functions of `entries` to `post`, the only writer. The database refuses
 * unbalanced entries and any later change. `sealEntries` chains committed entries, and
 * `verifyLedger` recomputes the chain and the balances, which are derived from postings.
 */
export {
  ACCOUNT_OF_POSTING,
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
  type BankCash,
  bankCash,
  cashPostings,
  type EntryKind,
  type LoanTotals,
  loanBalances,
  loanPostings,
  type Posting,
  type PostingSide,
  suspensePostings,
  transferPostings,
} from './entries.ts'
export { cashOn, lenderBalance, lenderPostings } from './lender-balance.ts'
export { type Entry, post } from './post.ts'
export { sealEntries } from './seal.ts'
export { type LedgerReport, verifyLedger } from './verify.ts'
