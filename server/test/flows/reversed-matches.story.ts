/**
 * When a match is undone while a credit note is about to refund its money, the credit pays the debt
 * that the match had paid.
 */
import { expect } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import { asOtherPartners, type TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { type Bill, billsOf, type Loan, lend, payIn } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-14')
const ACTOR = crypto.randomUUID()
const STRANGER = 'FR7630006000011234567890189'

const referenceOn = (bill: Bill) => bill.payment.to_references[0]!

/** Matches a third party's transfer with a target; returns a function that undoes the match. */
async function matchOf(app: TestApp, to: Loan, amount: number, target: string) {
  await payIn(app, { to, amount, reference: 'hello', from_iban: STRANGER })
  const { rows } = await app.context.database.pool.query(
    `select id from suspense_items where amount = $1 and status = 'OPEN'`,
    [amount],
  )
  expect(rows).toHaveLength(1)
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), rows[0].id, target))
  return () => asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), rows[0].id))
}

async function refundsOf({ client }: TestApp, bill: Bill) {
  const { data } = await client.listPayments({ payment_type: ['REFUND'] })
  return data
    .filter(({ related_to }) => related_to.bills.some(({ bill_id }) => bill_id === bill.id))
    .filter(payment => payment.status !== 'CANCELED')
    .map(one => [one.amount, one.status, one.to_account_details!.account_number])
    .sort()
}

/** Repays the principal by a transfer valued two days after the payout. */
const repayEarly = (app: TestApp, to: Loan) =>
  payIn(app, { to, amount: 1_000_000, value_date: '2027-01-16' })

async function debitFromNowOn(app: TestApp, borrower: ReadyBorrower) {
  const { iban, bank_identifier } = await app.client.generateSandboxIban({ country: 'FRA' })
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number: iban, bank_identifier },
    representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
    business_email: 'office@garnier.example',
  })
  await app.drain()
}

story(
  'after an undone match, its amount is owed in addition to the debit at the bank',
  async tale => {
    const { until } = tale
    const app = await asOtherPartners(tale.app)
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 1_000_000, days: 45 })
    const other = await lend(app, borrower, { amount: 1_000_000, days: 45 })
    await until('2027-02-02')
    // The January bill charges 9,000 for each loan.
    const [bill] = await billsOf(app, borrower)
    await payIn(app, { to: loan, amount: 5_000, reference: referenceOn(bill!) })
    const undo = await matchOf(app, loan, 4_000, bill!.id)
    await payIn(app, { to: other, amount: 1_000_000, value_date: '2027-02-01' })
    await repayEarly(app, loan)
    await until('2027-02-25')
    await debitFromNowOn(app, borrower)
    await until('2027-03-01')
    const [january, note] = await billsOf(app, borrower)
    // The first loan now owes 1,000 instead of 9,000. The other 8,000 pay the second loan's line.
    expect(january).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_000 })
    expect(january!.payment).toMatchObject({ payment_method: 'DIRECT_DEBIT', amount: 1_000 })
    expect(['INSTRUCTED', 'IN_TRANSIT']).toContain(january!.payment.status)
    expect(await refundsOf(app, note!)).toEqual([])
    await undo()
    expect((await billsOf(app, borrower))[0]).toMatchObject({ to_pay_amount: 5_000 })
    expect(await refundsOf(app, note!)).toEqual([])
  },
)

story('after an undone match, a borrower’s credit pays no bill of its partner', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'TRANSFERRED' })
  const borrower = await readyBorrower(app, 'SCT')
  const shared = await lend(app, borrower, { amount: 800_000, days: 45 })
  await agree(app, { fees_mode: 'CHARGED' })
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 45 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 5_000, reference: referenceOn(bill!) })
  const about = { loan_ids: [shared.id], bill_ids: [bill!.id] }
  const { id: case_id } = await openCase(app, borrower, about)
  const { plan } = await planFor(app, case_id, {
    number_of_installment: 1,
    period: 'monthly',
    start_date: '2027-02-05',
    repayment_method: 'SCT',
  })
  await until('2027-02-05')
  const [{ id, amount } = expect.fail()] = plan.installments
  const undo = await matchOf(app, loan, amount, id)
  await repayEarly(app, loan)
  await until('2027-03-01')
  const [, note] = await billsOf(app, borrower)
  const borrowers = (cents: number) => [cents, 'SCHEDULED', loan.loan_to.account_number]
  const planned = [borrowers(4_000), [4_000, 'SCHEDULED', STRANGER]].sort()
  expect(await refundsOf(app, note!)).toEqual(planned)
  await undo()
  const { data } = await app.client.listBills({})
  const of_partner = data.filter(one => one.lines.some(line => line.loan_id === shared.id))
  expect(of_partner.at(-1)).toMatchObject({ status: 'TO_PAY', paid_amount: 0 })
  // The borrower had paid 5,000: 4,000 pay its own bill and 1,000 is refunded.
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  expect(await refundsOf(app, note!)).toEqual([borrowers(1_000)])
})

story('the next bill does not attribute an undone match to the bank', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 45 })
  await until('2027-01-20')
  const undo = await matchOf(app, loan, 401_234, loan.id)
  await until('2027-02-04')
  const [first] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: first!.open_amount!, reference: referenceOn(first!) })
  await undo()
  await until('2027-03-02')
  const bills = await billsOf(app, borrower)
  const lines = bills.filter(bill => bill.id !== first!.id).flatMap(bill => bill.lines)
  const adjusted = lines.filter(line => line.kind === 'ADJUSTMENT')
  expect(adjusted.map(line => line.reason)).toEqual(['RECALCULATED'])
})
