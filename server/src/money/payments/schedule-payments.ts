/** Plans payments: born SCHEDULED, so that they show before they move. */
import { type Actor, birth, recordBirths } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { PaymentAccount } from '../../platform/kit/payment-account.ts'
import { insertPayments } from './store.ts'

export interface PaymentPlan {
  readonly partner_id: string
  /** Null when it is no borrower's: what a partner pays, or a referrer or a partner is paid. */
  readonly borrower_id: string | null
  readonly payment_type: string
  readonly payment_method: 'DIRECT_DEBIT' | 'SCT' | 'P2P'
  readonly direction: 'IN' | 'OUT'
  readonly amount: bigint
  readonly scheduled_on: Day
  readonly from_account: PaymentAccount | null
  readonly to_account: PaymentAccount
  readonly from_references?: readonly string[]
  readonly to_references?: readonly string[]
  readonly loan_id?: string | null
  readonly bill_id?: string | null
  readonly mandate_id?: string | null
  /** The wallet that is debited. */
  readonly wallet_id?: string | null
  /** Of a debit that a plan intends: its installment. */
  readonly installment_id?: string | null
  /** Of a loan in installments: the number of the one that is collected. */
  readonly installment?: number | null
  /** Of a refund: the payment whose surplus it gives back. */
  readonly refunded_payment_id?: string | null
  /** Of a debit of what is left of one that was recalled: that one. */
  readonly recalled_payment_id?: string | null
}

/** Inserts planned payments and answers their ids, in order. */
export async function schedulePayments(
  tx: Tx,
  actor: Actor,
  plans: readonly PaymentPlan[],
): Promise<string[]> {
  const born = birth('payment', ['schedule'])
  const rows = plans.map(plan => ({
    id: tx.newId(),
    status: born.status,
    currency: 'EUR',
    created_at: tx.now,
    updated_at: tx.now,
    loan_id: null,
    bill_id: null,
    mandate_id: null,
    wallet_id: null,
    installment: null,
    refunded_payment_id: null,
    installment_id: null,
    recalled_payment_id: null,
    ...plan,
    from_references: [...(plan.from_references ?? [])],
    to_references: [...(plan.to_references ?? [])],
    from_account: plan.from_account,
    to_account: plan.to_account,
  }))
  await insertPayments(tx, rows)
  recordBirths(
    tx,
    actor,
    rows.map(({ id, partner_id }) => ({ id, partner_id, birth: born })),
  )
  return rows.map(row => row.id)
}
