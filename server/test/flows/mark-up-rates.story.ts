/** What a partner adds to the interest stands in every rate, quote and payoff. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { lend, lineOf, payIn } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { faultsOf } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-15')

const SELLER = { identifier: '732829320', identifier_type: 'siren' } as const
const BUYER = { identifier: '404833048', identifier_type: 'siren' } as const
const RATES = {
  fees_daily_rate: 0.06,
  fees_interest_daily_rate: 0.05,
  fees_operating_daily_rate: 0.01,
}

story('of the line, the product, the partner and a company that asks', async tale => {
  const { house, until } = tale
  const { client } = house
  const added = { fees_mode: 'PASSED_ON' as const, mark_up_ppm: 100 }
  await agree(house, { ...added, product_type: 'INVOICE_BASED_FINANCING' })
  await agree(house, added)
  const borrower = await readyBorrower(house, 'SCT')
  const borrower_id = borrower.id
  expect(await lineOf(house, borrower)).toMatchObject(RATES)
  expect(await client.getTenantCreditLine()).toMatchObject(RATES)
  const product = async () => {
    const { data } = await client.listBorrowerFinancialProducts({ borrower_id })
    return data.find(one => one.financial_product.product_type === 'WALLET_FINANCING')
  }
  const payers = [{ fees_payer_role: 'BORROWER', billed_business_id: borrower.id }]
  const billing = { fees_payers: payers }
  expect(await product()).toMatchObject({
    fees_daily_rate: 0.06,
    financial_product: { configuration: { billing } },
  })
  const dates = { to_pay_at: '2027-01-15', to_repay_at: '2027-02-14' }
  const quote = await client.quoteEligibility({
    ...{ seller: SELLER, buyer: BUYER, amount: 10_010, ...dates },
  })
  // 150.15 and 30.03 cents, each rounded by itself.
  expect(quote).toMatchObject({ fees_daily_rate: 0.06, fees_estimated: 150 + 30 })

  const loan = await lend(house, borrower, { amount: 50_000, days: 40 })
  await until('2027-01-25')
  expect(await client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({ interest: 250 + 50 })
  expect(await client.getTenantCreditLine()).toMatchObject({ coming_up_monthly_fees: 300 })
  const base_callback_url = 'https://shop.example/back'
  expect(await faultsOf(client.repayNow({ amount: 50_301, base_callback_url }))).toEqual({
    amount: 'is more than is owed, 50300',
  })
  await payIn(house, { to: loan, amount: 50_300 })
  // Paid ahead: the next bill shows it, and takes nothing.
  expect(await client.getTenantCreditLine()).toMatchObject({ coming_up_monthly_fees: 0 })

  await agree(house, { fees_mode: 'TRANSFERRED' })
  const own = [{ fees_payer_role: 'PARTNER', billed_business_id: null }]
  expect(await product()).toMatchObject({
    fees_daily_rate: 0.05,
    financial_product: { configuration: { billing: { fees_payers: own } } },
  })
  expect(await lineOf(house, borrower)).toMatchObject({ fees_payer: null, fees_daily_rate: 0.05 })
})
