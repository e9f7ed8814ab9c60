/** The available reports and their parameters. */
import type { Tx } from '../../platform/db/transaction.ts'
import { readAging } from './aging.ts'
import { readBalances } from './balances.ts'
import { readCashFlow } from './cash-flow.ts'
import { readInterestEarned } from './interest-earned.ts'
import { readLedger } from './ledger.ts'
import { readPortfolioAtRisk } from './portfolio-at-risk.ts'
import type { Reader, Report, ReportParameters } from './report.ts'
import { readTrialBalance } from './trial-balance.ts'

interface Entry {
  readonly summary: string
  /** The parameters that the report takes, besides the partner. */
  readonly accepted: readonly (keyof ReportParameters)[]
  readonly read: Reader
}

export const REPORTS = {
  'trial-balance': {
    summary: 'every account as of a day',
    accepted: ['as_of', 'by'],
    read: readTrialBalance,
  },
  balances: {
    summary: 'what each loan, borrower, referrer and partner has in the books as of a day',
    accepted: ['as_of', 'by', 'of'],
    read: readBalances,
  },
  ledger: {
    summary: 'every posting of a time',
    accepted: ['from', 'to', 'by'],
    read: readLedger,
  },
  aging: {
    summary: 'the loan book by how late it is, as of a day',
    accepted: ['as_of', 'by'],
    read: readAging,
  },
  'portfolio-at-risk': {
    summary: 'what part of it belongs to late loans, as of a day',
    accepted: ['as_of', 'by'],
    read: readPortfolioAtRisk,
  },
  'interest-earned': {
    summary: 'interest by month, product and partner',
    accepted: ['from', 'to', 'by'],
    read: readInterestEarned,
  },
  'cash-flow': {
    summary: 'what is to come in and to go out, from today on',
    accepted: ['to', 'per'],
    read: readCashFlow,
  },
} satisfies Record<string, Entry>

export type ReportName = keyof typeof REPORTS

/**
 * Starts a report in a transaction, which must be a snapshot for its figures to agree. Rows are
 * read lazily.
 */
export function readReport(
  tx: Tx,
  name: ReportName,
  parameters: ReportParameters,
): Promise<Report> {
  return REPORTS[name].read(tx, parameters)
}
