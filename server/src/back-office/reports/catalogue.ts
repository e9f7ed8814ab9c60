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
  readonly says: string
  /** The parameters that the report takes, besides the partner. */
  readonly asks: readonly (keyof ReportParameters)[]
  readonly read: Reader
}

export const REPORTS = {
  'trial-balance': {
    says: 'every account as of a day',
    asks: ['as_of', 'by'],
    read: readTrialBalance,
  },
  balances: {
    says: 'what each loan, borrower, referrer and partner has in the books as of a day',
    asks: ['as_of', 'by', 'of'],
    read: readBalances,
  },
  ledger: {
    says: 'every posting of a time',
    asks: ['from', 'to', 'by'],
    read: readLedger,
  },
  aging: {
    says: 'the loan book by how late it is, as of a day',
    asks: ['as_of', 'by'],
    read: readAging,
  },
  'portfolio-at-risk': {
    says: 'what part of it belongs to late loans, as of a day',
    asks: ['as_of', 'by'],
    read: readPortfolioAtRisk,
  },
  'interest-earned': {
    says: 'interest by month, product and partner',
    asks: ['from', 'to', 'by'],
    read: readInterestEarned,
  },
  'cash-flow': {
    says: 'what is to come in and to go out, from today on',
    asks: ['to', 'per'],
    read: readCashFlow,
  },
} satisfies Record<string, Entry>

export type ReportName = keyof typeof REPORTS

/**
 * Starts a report in a transaction, which must be a snapshot for its figures to agree. Rows are
 * read lazily.
 */
export function readReport(tx: Tx, name: ReportName, wish: ReportParameters): Promise<Report> {
  return REPORTS[name].read(tx, wish)
}
