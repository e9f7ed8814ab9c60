/** Proves the books: everything recomputed from postings and facts, the first faults named. */
import { verifyBills } from './bills/index.ts'
import { verifyCards } from './cards/index.ts'
import { verifyLimits } from './credit-lines/index.ts'
import { type Database, type Tx, transaction } from './db/transaction.ts'
import { verifyHistory } from './db/verify-history.ts'
import { verifyAudit } from './desk/index.ts'
import { type Finding, verifyLedger } from './ledger/index.ts'
import { verifyLoans } from './loans/index.ts'
import { verifyRecollection } from './recollection/index.ts'
import { verifyReferrers } from './referrers/index.ts'
import { verifySubscriptions } from './subscriptions/index.ts'

export interface BooksReport {
  entries: number
  postings: number
  /** Entries not yet in the hash chain. */
  unsealed: number
  loans: number
  findings: Finding[]
}

/** Proves the books as one transaction sees them. */
export async function verifyBooksSeen(tx: Tx): Promise<BooksReport> {
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
      ...(await verifyLimits(tx)),
      ...(await verifyCards(tx)),
      ...(await verifyHistory(tx)),
      ...(await verifyAudit(tx)),
    ],
  }
}

/** Proves the books as they stand now. */
export function verifyBooks(database: Database): Promise<BooksReport> {
  return transaction(database, { partners: '*', snapshot: true }, verifyBooksSeen)
}
