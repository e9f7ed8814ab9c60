/** Write-off postings: a loan's accounts balance before, during and after a write-off. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  computeAccount,
  earnedInterest,
  earnedMarkUp,
  isRecovery,
  type Movement,
} from '../../src/credit/loans/account.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import {
  bankCash,
  type LoanTotals,
  loanBalances,
  loanPostings,
} from '../../src/platform/ledger/index.ts'

const CASH = bankCash('account', day('2027-01-01'))

const payout = day('2026-03-02')
const offset = fc.integer({ min: 0, max: 60 })
const money = fc.record({
  kind: fc.constantFrom('REPAYMENT' as const, 'BILL_PAYMENT' as const),
  // A payment may be valued before the payout.
  offset: fc.integer({ min: -5, max: 60 }),
  amount: fc.bigInt({ min: 1n, max: 130_000n }),
  after_write_off: fc.boolean(),
})

function totalsOf(movements: readonly Movement[], written_off_on: Movement['value_on'] | null) {
  const rates = { rate_ppm: 500, mark_up_ppm: 130, interest_billed: 0n }
  const terms = {
    ...rates,
    fees_payer: 'BORROWER',
    status: 'TO_REPAY' as const,
    written_off_on,
    interest_stops: [],
  }
  const account = computeAccount(movements, terms)
  const totals: LoanTotals = {
    ...account,
    written_off_on,
    interest_billed: 0n,
    mark_up_paid_out: 0n,
    surplus_refunded: 0n,
    interest_accrued: earnedInterest(account, terms, 0n),
    mark_up_accrued: earnedMarkUp(account, terms, 0n),
  }
  return { account, totals }
}

test('each entry balances and no cent is lost twice, whatever came before and after', () => {
  fc.assert(
    fc.property(fc.array(money, { maxLength: 6 }), offset, (came, end) => {
      const movements: Movement[] = [
        {
          id: 'payout',
          kind: 'PAYOUT',
          amount: 100_000n,
          given_back: 0n,
          value_on: payout,
          payment_id: null,
          refunded_payment_id: null,
          after_write_off: false,
        },
        ...came.map(({ offset, ...m }, index) => ({
          ...m,
          id: `money ${index}`,
          given_back: 0n,
          value_on: addDays(payout, offset),
          payment_id: null,
          refunded_payment_id: null,
        })),
      ]
      const written_off_on = addDays(payout, end)
      const earlier = movements.filter(m => !isRecovery(m, written_off_on))
      const running = totalsOf(earlier, null)
      const lost = totalsOf(earlier, written_off_on)
      const later = totalsOf(movements, written_off_on)
      // Throws if an entry does not balance.
      loanPostings('loan', running.totals, lost.totals, 0n, null)
      const cash = movements.filter(m => isRecovery(m, written_off_on))
      const received = cash.reduce((sum, m) => sum + m.amount, 0n)
      loanPostings('loan', lost.totals, later.totals, received, CASH)

      const { account } = later
      expect(account.principal_written_off).toBe(lost.account.principal_written_off)
      expect(account.principal_recovered <= account.principal_written_off).toBe(true)
      expect(account.interest_recovered <= account.interest_written_off).toBe(true)
      expect(account.mark_up_written_off >= 0n).toBe(true)
      expect(account.mark_up_written_off <= account.interest_written_off).toBe(true)
      const balances = loanBalances(later.totals)
      expect(balances).toMatchObject({
        loan_principal: 0n,
        interest_accrued: 0n,
        interest_billed: 0n,
        principal_written_off: account.principal_written_off,
        interest_recovered: -account.interest_recovered,
      })
    }),
    { numRuns: 500 },
  )
})

test('a payment valued before the payout reduces a payout-day loss, even if reported late', () => {
  const paid = { kind: 'PAYOUT' as const, amount: 100_000n, given_back: 0n, value_on: payout }
  const came = { kind: 'REPAYMENT' as const, amount: 60_000n, value_on: addDays(payout, -1) }
  const of = { payment_id: null, refunded_payment_id: null }
  for (const after_write_off of [false, true]) {
    const { account } = totalsOf(
      [
        { ...paid, ...of, id: 'payout', after_write_off: false },
        { ...came, ...of, id: 'money', given_back: 0n, after_write_off },
      ],
      payout,
    )
    expect(account).toMatchObject({ principal_written_off: 40_000n, principal_recovered: 0n })
  }
})
