/** Plans payments. They start as SCHEDULED, so that they are visible before money moves. */
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { PaymentAccount } from '../../platform/kit/payment-account.ts'
import { insertPayments } from './store.ts'

export interface PaymentPlan {
  readonly partner_id: string
  /**
   * Null without a borrower: for a partner's payment of its bills, or a payment to a partner or
   * referrer.
   */
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
  readonly wallet_id?: string | null
  /** The installment that a debit of a payment plan collects. */
  readonly installment_id?: string | null
  /** The number of the installment that is collected, if the loan has installments. */
  readonly installment?: number | null
  /** The payment that a refund sends back. */
  readonly refunded_payment_id?: string | null
  /** The recalled debit that a debit replaces. */
  readonly recalled_payment_id?: string | null
}

/** Inserts planned payments and returns their ids, in order. */
export async function schedulePayments(tx: Tx, plans: readonly PaymentPlan[]): Promise<string[]> {
  const initial = initialStatus('payment', ['schedule'])
  const rows = plans.map(plan => ({
    id: tx.newId(),
    status: initial.status,
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
  recordCreation(
    tx,
    rows.map(({ id, partner_id }) => ({ id, partner_id, initial })),
  )
  return rows.map(row => row.id)
}
