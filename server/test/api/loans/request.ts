/** A valid loan request, for tests that change one part of it. */
import type { Input } from '@headroom/sdk'
import type { ReadyBorrower } from '../../support/story.ts'

export const DAY = '2027-01-15'

/** A wallet loan of €500 with payout on 15 January 2027, for ten days. */
export function requestOf(
  borrower: Pick<ReadyBorrower, 'identifier' | 'account_number'>,
  other: Partial<Input<'createLoan'>> = {},
): Input<'createLoan'> {
  return {
    loan_type: 'WALLET_FINANCING',
    amount: 50_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: DAY,
    to_repay_at: '2027-01-25',
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
    ...other,
  }
}
