/** A payment's purpose follows from its row; an outgoing payment of an unknown type is an error. */
import { expect, test } from 'vitest'
import { purposeOf } from '../../src/money/payments/purpose.ts'
import type { PaymentRow } from '../../src/money/payments/types.ts'

const NOTHING = { loan_id: null, bill_id: null, installment_id: null }
const row = (of: Partial<PaymentRow>) => ({ ...NOTHING, ...of }) as PaymentRow
const received = (of: Partial<PaymentRow>) =>
  purposeOf(row({ direction: 'IN', payment_type: 'REPAYMENT_FULL', ...of }))
const sent = (payment_type: string, of: Partial<PaymentRow> = {}) =>
  purposeOf(row({ direction: 'OUT', payment_type, ...of }))

test('money received is for its fee, installment, bill or loan, or for several debts', () => {
  expect(received({ payment_type: 'SUBSCRIPTION' })).toBe('fee_payment')
  expect(received({ installment_id: 'x' })).toBe('installment_payment')
  expect(received({ bill_id: 'x' })).toBe('bill_payment')
  expect(received({ loan_id: 'x' })).toBe('loan_repayment')
  expect(received({})).toBe('transfer')
})

test('money sent is a payout, a refund or a partner payout', () => {
  expect(sent('LOAN_PAYMENT', { loan_id: 'x' })).toBe('loan_payout')
  expect(sent('REFUND', { loan_id: 'x' })).toBe('loan_refund')
  expect(sent('REFUND', { bill_id: 'x' })).toBe('credit_refund')
  expect(sent('REFUND')).toBe('fee_refund')
  expect(sent('REVENUE_SHARE')).toBe('partner_payout')
  expect(() => sent('CHARGEBACK')).toThrow('CHARGEBACK')
})
