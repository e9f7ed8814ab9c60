/** What a payment is for, decided from its row alone. */
import { assert } from '../../platform/kit/assert.ts'
import type { PaymentRow } from './types.ts'

/** The payments of each purpose. Money received for one debt may later pay another. */
interface Payments {
  loan_payout: PaymentRow & { readonly loan_id: string }
  loan_repayment: PaymentRow & { readonly loan_id: string }
  bill_payment: PaymentRow & { readonly bill_id: string }
  installment_payment: PaymentRow & { readonly installment_id: string }
  /** Pays one or several monthly fees. */
  fee_payment: PaymentRow
  /** Has several targets. */
  transfer: PaymentRow
  loan_refund: PaymentRow & { readonly loan_id: string }
  credit_refund: PaymentRow & { readonly bill_id: string }
  fee_refund: PaymentRow
  /** Pays a partner or referrer its share, or a partner collection fees. */
  partner_payout: PaymentRow
}

export type Purpose = keyof Payments
export type PaymentFor<P extends Purpose> = Payments[P]

/** The purpose of a payment that we planned or received; asserts that it has one. */
export function purposeOf(payment: PaymentRow): Purpose {
  return payment.direction === 'IN' ? purposeReceived(payment) : purposeSent(payment)
}

function purposeReceived(payment: PaymentRow): Purpose {
  if (payment.payment_type === 'SUBSCRIPTION') return 'fee_payment'
  if (payment.installment_id) return 'installment_payment'
  if (payment.bill_id) return 'bill_payment'
  return payment.loan_id ? 'loan_repayment' : 'transfer'
}

function purposeSent({ payment_type, loan_id, bill_id }: PaymentRow): Purpose {
  if (payment_type === 'REVENUE_SHARE') return 'partner_payout'
  if (payment_type === 'REFUND') {
    if (loan_id) return 'loan_refund'
    return bill_id ? 'credit_refund' : 'fee_refund'
  }
  assert(payment_type === 'LOAN_PAYMENT' && loan_id, `nothing is paid out as ${payment_type}`)
  return 'loan_payout'
}
