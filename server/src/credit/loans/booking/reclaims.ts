/**
 * Follows refunds that become principal again: stores the day this became known and the loan's
 * earlier terms, mails the borrower, and alerts operators if the money went to third parties.
 */
import { sql } from 'kysely'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { perTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { euros, maxAmount, minAmount } from '../../../platform/kit/money.ts'
import type { LoanAccount } from '../account.ts'
import { keepPastReclaim } from '../past-terms-store.ts'
import {
  type LoanRow,
  lockLoans,
  type MovementRow,
  setLentKnown,
  setReclaimKnown,
} from '../store.ts'
import { mailReclaimed } from './mail-borrower.ts'
import { readMovementsOf } from './read-movements.ts'
import { reclaimKnownOn, refundsLentSince } from './refunds-lent-since.ts'

interface Change {
  /** The loan before the change. */
  readonly loan: LoanRow
  readonly account: LoanAccount
  readonly movements: readonly MovementRow[]
}

/** Records and reports how bookings change the loans' reclaimed refunds. */
export async function followReclaims(tx: Tx, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    const { loan, account, movements } = change
    const days = refundsLentSince(loan, account, movements, tx.today)
    const changed = movements.filter(m => m.lent_known_on !== (days.get(m.id) ?? null))
    await setLentKnown(
      tx,
      changed.map(({ partner_id, id }) => ({ partner_id, id, on: days.get(id) ?? null })),
    )
    const known_on = reclaimKnownOn(account, days)
    if (loan.reclaimed_known_on !== known_on) await setReclaimKnown(tx, loan, known_on)
    if (loan.reclaimed_on !== account.reclaimed_on) await keepPastReclaim(tx, loan)
    if (account.refunds_reclaimed !== loan.refunds_reclaimed) noteReclaimed(tx, change)
    if (account.refunds_reclaimed + loan.refunds_reclaimed > 0n) await alertReclaims(tx, change)
  }
}

/** A loan before its refunds changed, and the part of each refund that was principal then. */
interface LoanBefore {
  readonly loan: LoanRow
  readonly lent: ReadonlyMap<string, bigint>
}

/** The loans whose reclaimed refunds a transaction has changed, by id. */
const changedBy = perTransaction(() => new Map<string, LoanBefore>())

function noteReclaimed(tx: Tx, { loan, movements }: Change): void {
  const changed = changedBy(tx)
  if (changed.has(loan.id)) return
  changed.set(loan.id, { loan, lent: new Map(movements.map(m => [m.id, -m.principal])) })
}

/**
 * Mails borrowers about refunds that became principal again. Runs just before the commit: a
 * transaction may rebook a loan several times, and the mail must show the final amount owed.
 */
export async function notifyReclaimedRefunds(tx: Tx): Promise<void> {
  const changed = new Map(changedBy(tx))
  if (changed.size === 0) return
  changedBy(tx).clear()
  const loans = [...changed.values()].map(before => before.loan)
  const movements = await readMovementsOf(tx, loans)
  for (const loan of await lockLoans(tx, loans)) {
    const before = changed.get(loan.id)!
    const more = loan.refunds_reclaimed - before.loan.refunds_reclaimed
    // Other money may have repaid the principal in the same transaction.
    if (more <= 0n || loan.written_off_on || loan.principal_outstanding === 0n) continue
    const money = movements.get(loan.id) ?? []
    const grown = new Map(
      money
        .filter(m => m.kind === 'REFUND')
        .map(m => [m.id, -m.principal - (before.lent.get(m.id) ?? 0n)]),
    )
    const others = await sentToOtherAccounts(tx, loan, [...grown.keys()])
    const to_others = others.reduce((sum, id) => sum + grown.get(id)!, 0n)
    await mailReclaimed(tx, loan, more, maxAmount(minAmount(to_others, more), 0n))
  }
}

/**
 * Alerts operators to reclaim refunds sent to third parties. The alert stays open until the amount
 * is paid, even after a write-off.
 */
async function alertReclaims(tx: Tx, { loan, account }: Change): Promise<void> {
  const owed_by_others = await paidToOthers(tx, loan, account)
  if (owed_by_others === 0n) await clearAlert(tx, 'refund_reclaimed', loan.id)
  else {
    const what = `${euros(owed_by_others)} of loan ${loan.repayment_reference} are owed again`
    const why = 'a collection was taken back, and the refund went to an account of somebody else'
    await raiseAlert(tx, 'refund_reclaimed', loan.id, `${what}: ${why}. Ask them to return it`)
  }
}

async function paidToOthers(
  tx: Tx,
  loan: LoanRow,
  { reclaimed_unpaid, shares }: LoanAccount,
): Promise<bigint> {
  const others = await sentToOtherAccounts(tx, loan, reclaimed_unpaid)
  return others.reduce((sum, id) => sum - shares.get(id)!.principal, 0n)
}

/** The refund movements whose money went to accounts not on the borrower's file. */
async function sentToOtherAccounts(
  tx: Tx,
  { partner_id, borrower_id }: LoanRow,
  movement_ids: readonly string[],
): Promise<string[]> {
  if (movement_ids.length === 0) return []
  const others = await tx.all(sql<{ id: string }>`
    select m.id from loan_movements m
    join payments p on p.partner_id = m.partner_id and p.id = m.payment_id
    where m.partner_id = ${partner_id} and m.id = any(${movement_ids}::uuid[]) and not exists (
      select from borrower_accounts a
      where a.partner_id = m.partner_id and a.borrower_id = ${borrower_id}
        and a.account_number = p.to_account->>'account_number')`)
  return others.map(({ id }) => id)
}
