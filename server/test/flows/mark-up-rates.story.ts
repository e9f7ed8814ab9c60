/** A partner's mark-up is included in rates, quotes and payoff amounts. */
import { expect } from 'vitest'
import { resumeInterest, stopInterest } from '../../src/credit/recollection/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { asOtherPartners } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, lineOf, payIn } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase } from '../support/recollection.ts'
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

story('for the line, the product, the partner and an eligibility check', async tale => {
  const { app, until } = tale
  const { client } = app
  const added = { fees_mode: 'PASSED_ON' as const, mark_up_ppm: 100 }
  await agree(app, { ...added, product_type: 'INVOICE_BASED_FINANCING' })
  await agree(app, added)
  const borrower = await readyBorrower(app, 'SCT')
  const borrower_id = borrower.id
  expect(await lineOf(app, borrower)).toMatchObject(RATES)
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
    seller: SELLER,
    buyer: BUYER,
    amount: 10_010,
    ...dates,
  })
  // Interest of 150.15 and a mark-up of 30.03 cents are rounded separately.
  expect(quote).toMatchObject({ fees_daily_rate: 0.06, fees_estimated: 150 + 30 })

  const loan = await lend(app, borrower, { amount: 50_000, days: 40 })
  await until('2027-01-25')
  expect(await client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({ interest: 250 + 50 })
  expect(await client.getTenantCreditLine()).toMatchObject({ coming_up_monthly_fees: 300 })
  const base_callback_url = 'https://shop.example/back'
  expect(await faultsOf(client.repayNow({ amount: 50_301, base_callback_url }))).toEqual({
    amount: 'is more than is owed, 50300',
  })
  await payIn(app, { to: loan, amount: 50_300 })
  // All interest is paid ahead, so the next bill will charge nothing.
  expect(await client.getTenantCreditLine()).toMatchObject({ coming_up_monthly_fees: 0 })

  await agree(app, { fees_mode: 'TRANSFERRED' })
  const own = [{ fees_payer_role: 'PARTNER', billed_business_id: null }]
  expect(await product()).toMatchObject({
    fees_daily_rate: 0.05,
    financial_product: { configuration: { billing: { fees_payers: own } } },
  })
  expect(await lineOf(app, borrower)).toMatchObject({ fees_payer: null, fees_daily_rate: 0.05 })
})

story('a replaced bill reduces the mark-up in proportion to the interest', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const borrower = await readyBorrower(app, 'SCT')
  const stopped = await lend(app, borrower, { amount: 200_000, days: 40 })
  await lend(app, borrower, { amount: 900_000, days: 40 })
  await until('2027-02-05')
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [stopped.id] })
  const by = await createOperatorId(app)
  // January's bill is partly paid, so the stop does not replace it, and the next bill corrects it.
  const [january] = await billsOf(app, borrower)
  await payIn(app, { to: stopped, amount: 1, reference: january!.payment.to_references[0]! })
  const reason = 'Safeguard'
  const from = { case_id, on: day('2027-01-22'), reason }
  await asOperator(app, tx => stopInterest(tx.as(by), from))
  await until('2027-03-02')
  const again = { case_id, on: day('2027-02-28'), reason }
  await asOperator(app, tx => resumeInterest(tx.as(by), again))
  await app.drain()
  const bills = await billsOf(app, borrower)
  expect(bills.map(bill => bill.status)).toEqual(['TO_PAY', 'INVALID', 'TO_PAY'])
  const lines = bills[2]!.lines.filter(line => line.loan_id === stopped.id)
  const kinds = new Set(lines.map(line => `${line.component} ${line.kind}`))
  expect([...kinds].sort()).toEqual([
    'INTEREST ADJUSTMENT',
    'INTEREST INTEREST',
    'PARTNER_MARK_UP ADJUSTMENT',
    'PARTNER_MARK_UP PARTNER_MARK_UP',
  ])
  expect(lines.map(line => line.reason)).not.toContain('NOT_RECORDED')
})
