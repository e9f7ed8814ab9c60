/** Loans without a payout, reopened by their refunds. */
import { expect } from 'vitest'
import { cancelFailedPayout, payAgain } from '../../src/credit/loans/index.ts'
import { calendar, type Tale } from '../support/calendar.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import type { TestHouse } from '../support/house.ts'
import { anInvoice } from '../support/invoices.ts'
import {
  booksOf,
  byHand,
  debitOf,
  instructionOf,
  type Loan,
  lend,
  lendInParts,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  sendBack,
} from '../support/money.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

const story = calendar('2027-01-11')

const HELD = { balance_available: 4_700_000 }
const FREE = { balance_available: 5_000_000 }

const refundOf = async (house: TestHouse, loan: Loan) =>
  (await paymentsOfType(house, loan, 'REFUND'))[0]!

const payoutOf = async (house: TestHouse, loan: Loan) =>
  (await paymentsOfType(house, loan, 'LOAN_PAYMENT')).at(-1)!

const standingOf = async ({ client }: TestHouse, { id }: ReadyBorrower) =>
  (await client.getBorrower({ borrower_id: id })).status

/** €3,000 whose payout was returned after its debit; the debit was refunded and then reclaimed. */
async function reopened({ house, until }: Tale, borrower: ReadyBorrower): Promise<Loan> {
  const loan = await lend(house, borrower, { amount: 300_000, days: 10 })
  await until('2027-01-21')
  await sendBack(house, await payoutOf(house, loan), { reason_code: 'AC04' })
  await until('2027-02-01')
  await refundDebit(house, await debitOf(house, loan))
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  return loan
}

const NOTHING_LENT = { paid_at: null, reclaimed_refunds_amount: 0, fees_ongoing: 0 }

story('without payout and refund a loan waits for its payout again', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await reopened(tale, borrower)
  await sendBack(house, await refundOf(house, loan), { reason_code: 'AC04' })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', ...NOTHING_LENT })
  expect(await booksOf(house, loan)).toEqual({})
  expect(await lineOf(house, borrower)).toMatchObject(HELD)
  // With nothing owed, the borrower is neither late nor reminded.
  await until('2027-02-10')
  expect(await standingOf(house, borrower)).toBe('READY')
})

story('even a repaid one, whose payer gets the money back', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await reopened(tale, borrower)
  await payIn(house, { to: loan, amount: 310_000 })
  await until('2027-02-03')
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CLOSED' })
  await sendBack(house, await refundOf(house, loan), { reason_code: 'AC04' })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', closed_at: null })
  await until('2027-02-05')
  const refunds = await paymentsOfType(house, loan, 'REFUND')
  const paid = refunds.slice(1).reduce((sum, { amount }) => sum + amount, 0)
  expect(paid).toBe(310_000)
})

story('even one written off: there is no loss', async tale => {
  const { house } = tale
  const borrower = await readyBorrower(house)
  const loan = await reopened(tale, borrower)
  await writeOff(house, loan, '2027-02-01')
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CLOSED' })
  await sendBack(house, await refundOf(house, loan), { reason_code: 'AC04' })
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'ISSUE_DETECTED',
    written_off_at: null,
    written_off_amount: 0,
  })
})

story('money valued before the refund turns it into a surplus again', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await reopened(tale, borrower)
  await payIn(house, { to: loan, amount: 300_000, value_date: '2027-01-25' })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', ...NOTHING_LENT })
  await until('2027-02-10')
  expect(await standingOf(house, borrower)).toBe('READY')
})

story('with installments, only the lent refund is debited', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await payingAgain(tale, borrower, [
    [50_000, 10],
    [180_000, 25],
    [70_000, 40],
  ])
  const paid = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await refundDebit(house, paid.find(({ status }) => status === 'PAID')!)
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  const debits = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  const waiting = debits.filter(({ status }) => status === 'SCHEDULED')
  expect(waiting.map(({ amount }) => amount)).toEqual([50_000])
  await until('2027-03-16')
  expect(await loanOf(house, loan.id)).toMatchObject({ repaid_nominal_at: '2027-02-22T00:00:00Z' })
})

type Review = 'REVIEWING' | 'APPROVED'
const review = ({ client }: TestHouse, { id }: ReadyBorrower, status: Review) =>
  client.setSandboxKyb({ borrower_id: id, status })

const HALVES = [
  [150_000, 10],
  [150_000, 40],
] as const

/**
 * The payout was returned after the first debit, which was refunded; the payout is to be sent
 * again.
 */
async function payingAgain(
  { house, until }: Tale,
  borrower: ReadyBorrower,
  parts: readonly (readonly [amount: number, days: number])[] = HALVES,
): Promise<Loan> {
  const { iban } = await house.client.generateSandboxIban({ scenario: 'SUCCESS_ONE_DAY_LATER' })
  const loan = await lendInParts(house, { ...borrower, account_number: iban }, parts)
  await until('2027-01-22')
  await sendBack(house, await payoutOf(house, loan), { reason_code: 'AC04' })
  await until('2027-02-02')
  expect(await refundOf(house, loan)).toMatchObject({ status: 'PAID', amount: parts[0]![0] })
  return loan
}

/** The debit is reclaimed while the second payout waits or is in transit. */
async function takenBackMeanwhile(house: TestHouse, loan: Loan, status: string): Promise<void> {
  const by = await operatorOf(house)
  await atDesk(house, tx => payAgain(tx, by, loan.id, house.context.ports.bank))
  await house.drain()
  await refundDebit(house, await debitOf(house, loan))
  expect(await loanOf(house, loan.id)).toMatchObject({ status, reclaimed_refunds_amount: 150_000 })
}

const LENT = { balance_available: 5_000_000 - 150_000 }

story('a refund lent while a payout waited is owed once the payout is canceled', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await payingAgain(tale, borrower)
  await review(house, borrower, 'REVIEWING')
  await takenBackMeanwhile(house, loan, 'SCHEDULED')
  await house.client.cancelLoan({ loan_id: loan.id })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  expect(await lineOf(house, borrower)).toMatchObject(LENT)
  await house.drain()
  await review(house, borrower, 'APPROVED')
  await until('2027-02-05')
  // Once the refund is returned as well, the loan is canceled as before.
  await sendBack(house, await refundOf(house, loan), { reason_code: 'AC04' })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CANCELED', ...NOTHING_LENT })
  expect(await lineOf(house, borrower)).toMatchObject(FREE)
})

story('a refund lent while a payout was in transit is owed once the payout fails', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await payingAgain(tale, borrower)
  await takenBackMeanwhile(house, loan, 'INITIATED')
  const { id: instruction_id } = await instructionOf(house, await payoutOf(house, loan))
  await house.client.rejectSandboxInstruction({ instruction_id, reason_code: 'AC04' })
  await house.drain()
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  expect(await lineOf(house, borrower)).toMatchObject(LENT)
  await payIn(house, { to: loan, amount: 150_000 })
  await until('2027-03-10')
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CLOSED' })
})

story('a loan repaid before its payout fails owes only its interest', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await payingAgain(tale, borrower)
  await review(house, borrower, 'REVIEWING')
  await takenBackMeanwhile(house, loan, 'SCHEDULED')
  await payIn(house, { to: loan, amount: 150_000 })
  await house.client.cancelLoan({ loan_id: loan.id })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  await review(house, borrower, 'APPROVED')
  await until('2027-03-10')
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CLOSED' })
})

story(
  'a refund lent in addition to the second payout is debited with the first installment',
  async tale => {
    const { house, until } = tale
    const borrower = await readyBorrower(house)
    const loan = await payingAgain(tale, borrower)
    await takenBackMeanwhile(house, loan, 'INITIATED')
    const { id: instruction_id } = await instructionOf(house, await payoutOf(house, loan))
    await house.client.settleSandboxInstruction({ instruction_id })
    await house.drain()
    const debits = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
    const [first, second] = debits.slice(2)
    expect(first).toMatchObject({ status: 'INSTRUCTED', amount: 300_000 })
    expect(second).toMatchObject({ status: 'SCHEDULED', amount: 150_000 })
    // A brief intermediate state: the planned amount is the open part of the installment.
    const set = `update payments set status = $1 where id = $2`
    await byHand(house, set, ['SCHEDULED', first!.id])
    const { findings } = await house.verify()
    expect(findings.filter(({ check }) => check === 'planned_debits')).toEqual([])
    await byHand(house, set, ['INSTRUCTED', first!.id])
    expect(await booksOf(house, loan)).toMatchObject({ loan_principal: 450_000 })
    await until('2027-03-10')
    expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CLOSED' })
  },
)

story('a canceled loan finances no invoice, even after a refund has reopened it', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const day = await today(house)
  const invoice = await house.client.createInvoice(
    await anInvoice({
      seller: { identifier: borrower.identifier },
      issued_at: plusDays(day, -5),
      due_at: plusDays(day, 40),
    }),
  )
  const lendOn = async (amount: number) => {
    const { id, ...loan } = await house.client.createLoan({
      loan_type: 'INVOICE_BASED_FINANCING',
      amount,
      borrower: { identifier: borrower.identifier },
      loan_to: { account_number: borrower.account_number },
      to_account: { account_number: borrower.account_number },
      invoice_ids: [invoice.id],
      to_pay_at: await today(house),
      to_repay_at: plusDays(await today(house), 10),
      auto_validate: true,
      wait_for_validation: true,
      salt_id: crypto.randomUUID(),
    })
    expect(loan).toMatchObject({ status: 'VALIDATED', denial_reason: null })
    await house.drain()
    return loanOf(house, id)
  }
  const loan = await lendOn(100_000)
  await until('2027-01-21')
  await sendBack(house, await payoutOf(house, loan), { reason_code: 'AC04' })
  const by = await operatorOf(house)
  await atDesk(house, tx => cancelFailedPayout(tx, by, loan.id))
  await until('2027-02-01')
  const instead = await lendOn(100_000)
  await refundDebit(house, await debitOf(house, loan))
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  expect((await house.client.getInvoice({ invoice_id: invoice.id })).loan_ids).toEqual([instead.id])
  expect((await house.verify()).findings).toEqual([])
  // The invoice was for 120,000.
  await lendOn(20_000)
})
