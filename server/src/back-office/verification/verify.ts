/**
 * Verifies the books: each check recomputes figures from postings and facts, and reports its first
 * faults.
 */
import { verifyLimits } from '../../companies/credit-lines/index.ts'
import type { Context } from '../../context.ts'
import { verifyBills } from '../../credit/bills/index.ts'
import { verifyCards } from '../../credit/cards/index.ts'
import { verifyLoans } from '../../credit/loans/index.ts'
import { verifyRecollection } from '../../credit/recollection/index.ts'
import { verifySubscriptions } from '../../credit/subscriptions/index.ts'
import { verifyPartnerTerms } from '../../money/partner-terms/index.ts'
import { verifyOrders, verifyStatements } from '../../money/payments/index.ts'
import { verifyReferrers } from '../../partners/referrers/index.ts'
import { clearAlertsUntil, raiseAlert } from '../../platform/alerts/index.ts'
import { verifyDirectory } from '../../platform/db/directory.ts'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { verifyHistory } from '../../platform/db/verify-history.ts'
import { type Finding, verifyLedger } from '../../platform/ledger/index.ts'
import { verifyAudit } from '../operations/index.ts'
import { verifyCash } from './verify-cash.ts'

export interface BooksReport {
  entries: number
  postings: number
  /** Entries not yet in the hash chain. */
  unsealed: number
  loans: number
  findings: Finding[]
}

export async function verifyBooksInTransaction(tx: Tx): Promise<BooksReport> {
  const ledger = await verifyLedger(tx)
  const { loans, findings } = await verifyLoans(tx)
  return {
    entries: ledger.entries,
    postings: ledger.postings,
    unsealed: ledger.entries - ledger.sealed,
    loans,
    findings: [
      ...ledger.findings,
      ...findings,
      ...(await verifyBills(tx)),
      ...(await verifyRecollection(tx)),
      ...(await verifyReferrers(tx)),
      ...(await verifySubscriptions(tx)),
      ...(await verifyPartnerTerms(tx)),
      ...(await verifyOrders(tx)),
      ...(await verifyStatements(tx)),
      ...(await verifyLimits(tx)),
      ...(await verifyCards(tx)),
      ...(await verifyCash(tx)),
      ...(await verifyHistory(tx)),
      ...(await verifyDirectory(tx)),
      ...(await verifyAudit(tx)),
    ],
  }
}

/** Verifies the books of all partners in one snapshot. */
export function verifyBooks(database: Database): Promise<BooksReport> {
  return transaction(database, { partners: '*', snapshot: true }, verifyBooksInTransaction)
}

/** The subject id of alerts about the books. */
const BOOKS = '00000000-0000-7000-8000-000000000001'
const DETAIL_MAX = 500

/**
 * The nightly verification: logs faults and keeps an alert open until they are gone. Returns the
 * number of faults.
 */
export async function verifyBooksNightly({ database, log }: Context): Promise<number> {
  const { findings } = await verifyBooks(database)
  if (findings.length > 0) log.fatal({ findings }, 'the books are wrong')
  const details = findings.map(({ check, detail }) => `${check}: ${detail}`).join('; ')
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    if (findings.length === 0) await clearAlertsUntil(tx, 'books_wrong', tx.now)
    else await raiseAlert(tx, 'books_wrong', BOOKS, details.slice(0, DETAIL_MAX))
  })
  return findings.length
}
