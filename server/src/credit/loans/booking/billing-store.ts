/** The loan columns that billing reads under lock, and the SQL that writes billed amounts. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { LoanRow } from '../store.ts'
import { unsettled } from './unsettled.ts'

/** Billing reads many loans, so it reads only the columns it needs. */
const BILLED = [
  ...(['id', 'partner_id', 'borrower_id', 'fees_payer', 'payer_id', 'loan_type'] as const),
  ...(['rate_ppm', 'mark_up_ppm'] as const),
  ...(['paid_out_on', 'principal_outstanding', 'principal_repaid_on'] as const),
  ...(['interest_accrued', 'interest_billed', 'interest_paid'] as const),
  ...(['mark_up_accrued', 'mark_up_billed', 'mark_up_paid_out'] as const),
  ...(['surplus', 'surplus_refunded', 'written_off_on', 'interest_changed_at'] as const),
  ...(['principal_written_off', 'interest_written_off', 'mark_up_written_off'] as const),
  ...(['principal_recovered', 'interest_recovered'] as const),
] as const

export type BilledLoan = Pick<LoanRow, (typeof BILLED)[number]>

declare const locked: unique symbol

/** A billed loan as read under its lock. Bills are booked only from such rows. */
export type LockedBilled = BilledLoan & { readonly [locked]: true }

/** Locks and reads the loans `l` that match a condition, in the order of their ids. */
export async function lockBilled(tx: Tx, which: RawBuilder<unknown>): Promise<LockedBilled[]> {
  const columns = sql.join(BILLED.map(column => sql.ref(`l.${column}`)))
  return tx.all(sql<LockedBilled>`
    select ${columns} from loans l where ${which} order by l.id for no key update`)
}

/** Sets the billed and accrued interest and mark-up of loans to these totals. */
export async function setBilledInterest(tx: Tx, loans: readonly LockedBilled[]): Promise<void> {
  await tx.run(sql`
    update loans l set interest_billed = n.billed, interest_accrued = n.accrued,
      mark_up_billed = n.mark_up_billed, mark_up_accrued = n.mark_up_accrued,
      share_unsettled = n.share_unsettled
    from unnest(${loans.map(l => l.partner_id)}::uuid[], ${loans.map(l => l.id)}::uuid[],
      ${loans.map(l => l.interest_billed)}::bigint[],
      ${loans.map(l => l.interest_accrued)}::bigint[],
      ${loans.map(l => l.mark_up_billed)}::bigint[],
      ${loans.map(l => l.mark_up_accrued)}::bigint[],
      ${loans.map(l => unsettled(l).share_unsettled)}::boolean[])
      as n (partner_id, id, billed, accrued, mark_up_billed, mark_up_accrued, share_unsettled)
    where l.partner_id = n.partner_id and l.id = n.id`)
}

/** Stores the total mark-up paid out for each of these loans. */
export async function setPaidOut(tx: Tx, loans: readonly LockedBilled[]): Promise<void> {
  await tx.run(sql`
    update loans l set mark_up_paid_out = n.paid_out, share_unsettled = n.share_unsettled
    from unnest(${loans.map(l => l.partner_id)}::uuid[], ${loans.map(l => l.id)}::uuid[],
      ${loans.map(l => l.mark_up_paid_out)}::bigint[],
      ${loans.map(l => unsettled(l).share_unsettled)}::boolean[])
      as n (partner_id, id, paid_out, share_unsettled)
    where l.partner_id = n.partner_id and l.id = n.id`)
}
