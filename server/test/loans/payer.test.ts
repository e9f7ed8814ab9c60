/** Who pays a loan's fees. */
import { expect, test } from 'vitest'
import { payerOf } from '../../src/credit/loans/payer.ts'

const OWNERS = { partner_id: 'partner', borrower_id: 'borrower' }

test('a borrower pays its own fees, a partner those it has agreed to pay', () => {
  expect(payerOf({ ...OWNERS, fees_payer: 'BORROWER' })).toBe('borrower')
  expect(payerOf({ ...OWNERS, fees_payer: 'PARTNER' })).toBe('partner')
})
