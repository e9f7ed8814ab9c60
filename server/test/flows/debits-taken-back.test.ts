/** Returned debits of every kind, within their time limits, and mandates that end with them. */
import { expect } from 'vitest'
import { generateIban } from '../../src/outside/adapters/sandbox/generators.ts'
import { calendar } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import {
  billsOf,
  instructionOf,
  type Loan,
  lend,
  lineOf,
  loanOf,
  type Payment,
  payIn,
  paymentsOfType,
  referenceOf,
  sendBack,
} from '../support/money.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

async function byHand(
  { client }: TestHouse,
  payment: Payment,
  way: 'returnSandboxInstruction' | 'refundSandboxInstruction' | 'reverseSandboxInstruction',
  reason_code?: string,
) {
  const { data } = await client.listSandboxBankInstructions({ page_size: 500 })
  const { id: instruction_id } = data.find(one => one.payment_id === payment.id)!
  return client[way]({ instruction_id, reason_code })
}

const OPEN_DEBIT = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

async function debitOf(house: TestHouse, loan: { id: string }): Promise<Payment> {
  return (await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL'))[0]!
}

/** Mails that a mandate has ended and that name this loan. */
async function endedMails({ client }: TestHouse, loan: Loan) {
  const { data } = await client.listSandboxMailbox({ page_size: 500 })
  return data.filter(
    mail => mail.subject.includes('a pris fin') && mail.text.includes(referenceOf(loan)),
  )
}

story(
  'a mandate lapses before its debit: it is not used, and the borrower is notified',
  async tale => {
    const { house, until } = tale
    const { client } = house
    const borrower = await readyBorrower(house, 'SCT', 'FRA')
    const method = {
      borrower_id: borrower.id,
      payment_method: 'DIRECT_DEBIT' as const,
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
      from_account: {
        account_number: generateIban('FRA', 'SUCCESS', 4_712),
        bank_identifier: 'BNPAFRPP',
      },
      representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
      business_email: 'lapse@garnier.example',
    }
    await client.addRepaymentMethod({
      ...method,
      mandate: { scheme: 'CORE', signed_at: '2024-01-20T12:00:00Z' },
    })
    const loan = await lend(house, borrower, { amount: 100_000, days: 30 })
    await until('2027-01-22')
    expect((await debitOf(house, loan)).status).toBe('CANCELED')
    const [told] = await endedMails(house, loan)
    expect(told!.text).toContain('36 mois')
    // It has another method, so it can continue to borrow.
    expect(told!.text).not.toContain('aucun nouveau prêt')
  },
)

story('refused by the debtor: late, and the mandate stays in force', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  const other = await lend(house, borrower, { amount: 50_000, days: 15 })
  await until('2027-01-20')
  const { id } = await instructionOf(house, await debitOf(house, loan))
  await house.client.rejectSandboxInstruction({ instruction_id: id, reason_code: 'MS02' })
  await until('2027-01-26')
  expect(await debitOf(house, loan)).toMatchObject({ status: 'FAILED', failure_reason: 'MS02' })
  expect(await house.client.getBorrower({ borrower_id: borrower.id })).toMatchObject({
    status: 'BLOCKED',
  })
  expect((await debitOf(house, other)).status).toBe('PAID')
})

story("a bill's debit returned after its grace period blocks on the same day", async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house, 'DIRECT_DEBIT', 'FRA')
  await lend(house, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-25')
  const standing = async () => (await house.client.getBorrower({ borrower_id: borrower.id })).status
  const [bill] = await billsOf(house, borrower)
  expect([bill!.status, await standing()]).toEqual(['PAID', 'READY'])
  const { data } = await house.client.listPayments({ page_size: 500 })
  const debit = data.find(one => one.related_to.bills.some(paid => paid.bill_id === bill!.id))
  await byHand(house, debit!, 'refundSandboxInstruction', 'MD06')
  await house.drain()
  const [reopened] = await billsOf(house, borrower)
  expect([reopened!.status, await standing()]).toEqual(['TO_PAY', 'BLOCKED'])
})

story('the account is closed: no more debits under its mandate', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'DIRECT_DEBIT', 'FRA')
  const first = await lend(house, borrower, { amount: 100_000, days: 3 })
  const handed = await lend(house, borrower, { amount: 50_000, days: 5 })
  const planned = await lend(house, borrower, { amount: 40_000, days: 20 })
  await until('2027-01-14')
  await byHand(house, await debitOf(house, first), 'returnSandboxInstruction', 'AC04')
  await house.drain()
  const { data } = await house.client.listRepaymentMethods({ borrower_id: borrower.id })
  expect(data.map(method => method.status)).toEqual(['DEACTIVATED'])
  for (const loan of [handed, planned]) {
    expect((await debitOf(house, loan)).status).toBe('CANCELED')
  }
  expect((await instructionOf(house, await debitOf(house, handed))).status).toBe('CANCELED')
  // It cannot draw until it has another method; meanwhile it pays its debts by transfer.
  const { status } = await house.client.getBorrower({ borrower_id: borrower.id })
  expect(status).toBe('SIGNED')
  const [told] = await endedMails(house, planned)
  expect(told!.text).toContain('Votre banque nous indique')
  expect(told!.text).toContain('Merci de mettre en place un autre mode de remboursement')
  for (const [loan, amount] of [
    [first, '1 000,00 €'],
    [handed, '500,00 €'],
    [planned, '400,00 €'],
  ] as const) {
    const words = told!.text.replace(/[\u00a0\u202f]/g, ' ')
    expect(words).toContain(`Prêt : ${referenceOf(loan)}\nMontant à payer : ${amount}`)
  }
  await payIn(house, { to: handed, amount: 50_000 })
  await until('2027-02-03')
  expect(await billsOf(house, borrower)).toMatchObject([
    { status: 'TO_PAY', payment: { payment_method: 'SCT' } },
  ])
  const bank_identifier = 'BNPAFRPP'
  await house.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number: generateIban('FRA', 'SUCCESS', 4_711), bank_identifier },
    mandate: { scheme: 'CORE', signed_at: '2027-01-20T10:00:00Z' },
  })
  await house.drain()
  for (const loan of [first, planned]) {
    const debits = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
    expect(OPEN_DEBIT).toContain(debits.at(-1)!.status)
  }
  await until('2027-02-10')
  expect((await loanOf(house, planned.id)).status).toBe('TO_REPAY_FEES')
})

story(
  'a debit requested after its mandate ended uses another mandate, or is refused',
  async tale => {
    const { house, until } = tale
    const [borrower, other] = [await readyBorrower(house), await readyBorrower(house)]
    const loan = await lend(house, borrower, { amount: 50_000, days: 10 })
    const left = await lend(house, other, { amount: 50_000, days: 10 })
    await until('2027-01-26')
    const debits = (of = loan) => paymentsOfType(house, of, 'REPAYMENT_NOMINAL')
    for (const one of [loan, left]) {
      await sendBack(house, await debitOf(house, one), { reason_code: 'AC04' })
    }
    const { bank_identifier, account_number } = await house.client.generateSandboxBusiness({
      is_borrower: true,
    })
    await house.client.addRepaymentMethod({
      borrower_id: borrower.id,
      payment_method: 'DIRECT_DEBIT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
      from_account: { account_number: account_number!, bank_identifier },
    })
    const debit = { repayment_method: 'DIRECT_DEBIT' as const }
    const changed = await house.client.changeLoan({ loan_id: loan.id, ...debit })
    expect(changed).toMatchObject({ ...debit, repayment_from: { account_number } })
    expect(await debits()).toMatchObject([{ status: 'PAID' }, { status: 'SCHEDULED' }])
    // With no mandate left a debit is refused, but the due date can still change.
    expect(await refusal(house.client.changeLoan({ loan_id: left.id, ...debit }))).toMatchObject({
      status: 409,
      code: 'change_refused',
    })
    const put_off = { loan_id: left.id, to_repay_at: '2027-02-10' }
    expect(await house.client.changeLoan(put_off)).toMatchObject({
      to_repay_at: '2027-02-10T00:00:00Z',
    })
    expect(await debits(left)).toHaveLength(1)
    await until('2027-02-01')
    expect(await debits()).toMatchObject([{ status: 'PAID' }, { status: 'PAID' }])
  },
)

story('the lender reverses a debit: the loan is open again', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  expect((await loanOf(house, loan.id)).status).toBe('TO_REPAY_FEES')
  await byHand(house, await debitOf(house, loan), 'reverseSandboxInstruction')
  await house.drain()
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY', repaid_amount: 0 })
  expect(await paymentsOfType(house, loan, 'CHARGEBACK')).toMatchObject([
    { amount: 100_000, failure_reason: 'AM05' },
  ])
})

story('B2B: final after three banking days, and never refunded', async ({ house, until }) => {
  const generated = await house.client.generateSandboxBusiness({ is_borrower: true })
  const borrower = await readyBorrower(house, 'SCT')
  await house.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
    from_account: {
      account_number: borrower.account_number,
      bank_identifier: generated.bank_identifier,
    },
    mandate: { scheme: 'B2B', signed_at: '2026-12-01T10:00:00Z' },
  })
  const returned = await lend(house, borrower, { amount: 100_000, days: 3 })
  const final = await lend(house, borrower, { amount: 50_000, days: 3 })
  await until('2027-01-19')
  expect(await lineOf(house, borrower)).toMatchObject({ balance_pending: 150_000 })
  const refund = await refusal(
    byHand(house, await debitOf(house, final), 'refundSandboxInstruction', 'MD01'),
  )
  expect(refund).toMatchObject({ code: 'state_conflict', message: expect.stringContaining('B2B') })
  await byHand(house, await debitOf(house, returned), 'returnSandboxInstruction')
  await house.drain()
  expect((await loanOf(house, returned.id)).status).toBe('TO_REPAY')
  await until('2027-01-20')
  expect(await lineOf(house, borrower)).toMatchObject({ balance_pending: 0 })
  const late = await refusal(byHand(house, await debitOf(house, final), 'returnSandboxInstruction'))
  expect(late).toMatchObject({ code: 'state_conflict' })
})

story(
  'refunds on CLOSED loans: after eight weeks, and after thirteen months',
  async ({ house, until }) => {
    const borrower = await readyBorrower(house)
    const [disputed, unauthorised] = [
      await lend(house, borrower, { amount: 100_000, days: 3 }),
      await lend(house, borrower, { amount: 50_000, days: 3 }),
    ]
    await until('2027-02-03')
    for (const { id } of [disputed, unauthorised]) {
      expect((await loanOf(house, id)).status).toBe('CLOSED')
    }
    const refund = async (loan: Loan, reason_code: string) =>
      byHand(house, await debitOf(house, loan), 'refundSandboxInstruction', reason_code)
    await until('2027-03-11')
    await refund(disputed, 'MD06')
    await house.drain()
    const open = { status: 'TO_REPAY', repaid_nominal_amount: 0 }
    // The interest on its bill stays paid; interest accrues again from the day of the debit.
    expect(await loanOf(house, disputed.id)).toMatchObject({ ...open, paid_interests_amount: 150 })
    expect((await loanOf(house, disputed.id)).fees_ongoing).toBe(2_950)
    // This story comes last because it jumps over the days ahead without running them.
    const months = (to: string) =>
      house.context.database.pool.query(
        `update deployment
          set clock_offset_ms = extract(epoch from $1::timestamptz - now()) * 1000`,
        [to],
      )
    await months('2028-02-14T09:00:00Z')
    expect(await refusal(refund(unauthorised, 'MD06'))).toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('2027-03-11'),
    })
    await refund(unauthorised, 'MD01')
    await house.drain()
    expect(await loanOf(house, unauthorised.id)).toMatchObject(open)
    const { data } = await house.client.listRepaymentMethods({ borrower_id: borrower.id })
    expect(data.map(method => method.status)).toEqual(['DEACTIVATED'])
  },
)
