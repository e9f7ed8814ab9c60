/**
 * Matches undone while a credit note is about to refund the money: what the credit pays instead.
 */
import { expect } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import { calendar } from '../support/calendar.ts'
import { atDesk } from '../support/desk.ts'
import { asOthers, type TestHouse } from '../support/house.ts'
import { type Bill, billsOf, type Loan, lend, payIn } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-14')
const ACTOR = crypto.randomUUID()
const STRANGER = 'FR7630006000011234567890189'

const referenceOn = (bill: Bill) => bill.payment.to_references[0]!

/** Matches a third party's transfer by hand; returns a function that undoes the match. */
async function matchOf(house: TestHouse, to: Loan, amount: number, target: string) {
  await payIn(house, { to, amount, reference: 'hello', from_iban: STRANGER })
  const { rows } = await house.context.database.pool.query(
    `select id from suspense_items where amount = $1 and status = 'OPEN'`,
    [amount],
  )
  expect(rows).toHaveLength(1)
  await atDesk(house, tx => matchSuspense(tx, ACTOR, rows[0].id, target))
  return () => atDesk(house, tx => unmatchSuspense(tx, ACTOR, rows[0].id))
}

/** A bill's active refunds: cents, status and payee account. */
async function refundsOf({ client }: TestHouse, bill: Bill) {
  const { data } = await client.listPayments({ payment_type: ['REFUND'] })
  return data
    .filter(({ related_to }) => related_to.bills.some(({ bill_id }) => bill_id === bill.id))
    .filter(payment => payment.status !== 'CANCELED')
    .map(one => [one.amount, one.status, one.to_account_details!.account_number])
    .sort()
}

/** Reports that the principal was repaid two days after the payout. */
const repayEarly = (house: TestHouse, to: Loan) =>
  payIn(house, { to, amount: 1_000_000, value_date: '2027-01-16' })

async function debitFromNowOn(house: TestHouse, borrower: ReadyBorrower) {
  const { iban, bank_identifier } = await house.client.generateSandboxIban({ country: 'FRA' })
  await house.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number: iban, bank_identifier },
    representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
    business_email: 'office@garnier.example',
  })
  await house.drain()
}

story(
  'unmatched, money for another line is owed in addition to the debit at the bank',
  async tale => {
    const { until } = tale
    const house = await asOthers(tale.house)
    const borrower = await readyBorrower(house, 'SCT')
    const loan = await lend(house, borrower, { amount: 1_000_000, days: 45 })
    const other = await lend(house, borrower, { amount: 1_000_000, days: 45 })
    await until('2027-02-02')
    // January costs each loan 9,000.
    const [bill] = await billsOf(house, borrower)
    await payIn(house, { to: loan, amount: 5_000, reference: referenceOn(bill!) })
    const undo = await matchOf(house, loan, 4_000, bill!.id)
    await payIn(house, { to: other, amount: 1_000_000, value_date: '2027-02-01' })
    await repayEarly(house, loan)
    await until('2027-02-25')
    await debitFromNowOn(house, borrower)
    await until('2027-03-01')
    const [january, note] = await billsOf(house, borrower)
    // The first loan owes 1,000 of its 9,000; the rest of its money pays the other one's line.
    expect(january).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_000 })
    expect(january!.payment).toMatchObject({ payment_method: 'DIRECT_DEBIT', amount: 1_000 })
    expect(['INSTRUCTED', 'IN_TRANSIT']).toContain(january!.payment.status)
    expect(await refundsOf(house, note!)).toEqual([])
    await undo()
    expect((await billsOf(house, borrower))[0]).toMatchObject({ to_pay_amount: 5_000 })
    expect(await refundsOf(house, note!)).toEqual([])
  },
)

story('unmatched, a borrower’s credit pays no bill of its partner', async tale => {
  const { until } = tale
  const house = await asOthers(tale.house)
  await agree(house, { fees_mode: 'TRANSFERRED' })
  const borrower = await readyBorrower(house, 'SCT')
  const shared = await lend(house, borrower, { amount: 800_000, days: 45 })
  await agree(house, { fees_mode: 'CHARGED' })
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 45 })
  await until('2027-02-02')
  const [bill] = await billsOf(house, borrower)
  await payIn(house, { to: loan, amount: 5_000, reference: referenceOn(bill!) })
  const about = { loan_ids: [shared.id], bill_ids: [bill!.id] }
  const { id: case_id } = await openCase(house, borrower, about)
  const { plan } = await planFor(house, case_id, {
    number_of_installment: 1,
    period: 'monthly',
    start_date: '2027-02-05',
    repayment_method: 'SCT',
  })
  await until('2027-02-05')
  const [{ id, amount } = expect.fail()] = plan.installments
  const undo = await matchOf(house, loan, amount, id)
  await repayEarly(house, loan)
  await until('2027-03-01')
  const [, note] = await billsOf(house, borrower)
  const borrowers = (cents: number) => [cents, 'SCHEDULED', loan.loan_to.account_number]
  const planned = [borrowers(4_000), [4_000, 'SCHEDULED', STRANGER]].sort()
  expect(await refundsOf(house, note!)).toEqual(planned)
  await undo()
  const { data } = await house.client.listBills({})
  const of_partner = data.filter(one => one.lines.some(line => line.loan_id === shared.id))
  expect(of_partner.at(-1)).toMatchObject({ status: 'TO_PAY', paid_amount: 0 })
  // 4,000 of the 5,000 the borrower paid itself pay its own bill again.
  expect((await billsOf(house, borrower))[0]).toMatchObject({ status: 'PAID' })
  expect(await refundsOf(house, note!)).toEqual([borrowers(1_000)])
})
