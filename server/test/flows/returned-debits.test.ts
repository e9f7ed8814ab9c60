/** Returned, refunded and reversed debits with their time limits, and the mandates they end. */
import { expect } from 'vitest'
import { generateIban } from '../../src/integrations/adapters/sandbox/generators.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
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
  returnDebit,
} from '../support/money.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

async function byHand(
  { client }: TestApp,
  payment: Payment,
  way: 'returnSandboxInstruction' | 'refundSandboxInstruction' | 'reverseSandboxInstruction',
  reason_code?: string,
) {
  const { data } = await client.listSandboxBankInstructions({ page_size: 500 })
  const { id: instruction_id } = data.find(one => one.payment_id === payment.id)!
  return client[way]({ instruction_id, reason_code })
}

const OPEN_DEBIT = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

async function debitOf(app: TestApp, loan: { id: string }): Promise<Payment> {
  return (await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL'))[0]!
}

/** Mails about an ended mandate that mention this loan. */
async function endedMails({ client }: TestApp, loan: Loan) {
  const { data } = await client.listSandboxMailbox({ page_size: 500 })
  return data.filter(
    mail => mail.subject.includes('a pris fin') && mail.text.includes(referenceOf(loan)),
  )
}

story(
  'a mandate lapses before its debit: it is not used, and the borrower is notified',
  async tale => {
    const { app, until } = tale
    const { client } = app
    const borrower = await readyBorrower(app, 'SCT', 'FRA')
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
    const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
    await until('2027-01-22')
    expect((await debitOf(app, loan)).status).toBe('CANCELED')
    const [result] = await endedMails(app, loan)
    expect(result!.text).toContain('36 mois')
    // The borrower has another method, so it can still borrow.
    expect(result!.text).not.toContain('aucun nouveau prêt')
  },
)

story('refused by the debtor: overdue, and the mandate stays in force', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const other = await lend(app, borrower, { amount: 50_000, days: 15 })
  await until('2027-01-20')
  const { id } = await instructionOf(app, await debitOf(app, loan))
  await app.client.rejectSandboxInstruction({ instruction_id: id, reason_code: 'MS02' })
  await until('2027-01-26')
  expect(await debitOf(app, loan)).toMatchObject({ status: 'FAILED', failure_reason: 'MS02' })
  expect(await app.client.getBorrower({ borrower_id: borrower.id })).toMatchObject({
    status: 'BLOCKED',
  })
  expect((await debitOf(app, other)).status).toBe('PAID')
})

story("a bill's debit returned after its grace period blocks on the same day", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-25')
  const state = async () => (await app.client.getBorrower({ borrower_id: borrower.id })).status
  const [bill] = await billsOf(app, borrower)
  expect([bill!.status, await state()]).toEqual(['PAID', 'READY'])
  const { data } = await app.client.listPayments({ page_size: 500 })
  const debit = data.find(one => one.related_to.bills.some(paid => paid.bill_id === bill!.id))
  await byHand(app, debit!, 'refundSandboxInstruction', 'MD06')
  await app.drain()
  const [reopened] = await billsOf(app, borrower)
  expect([reopened!.status, await state()]).toEqual(['TO_PAY', 'BLOCKED'])
})

story('a mandate ends while another is ready: that one collects the bills', async tale => {
  const { app, until } = tale
  const { client } = app
  // The borrower's oldest method is transfer, but the remaining direct debit takes precedence.
  const borrower = await readyBorrower(app, 'SCT', 'FRA')
  for (const [scheme, seed] of [
    ['CORE', 4_713],
    ['B2B', 4_714],
  ] as const) {
    await client.addRepaymentMethod({
      borrower_id: borrower.id,
      payment_method: 'DIRECT_DEBIT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
      from_account: {
        account_number: generateIban('FRA', 'SUCCESS', seed),
        bank_identifier: 'BNPAFRPP',
      },
      representative: { birth_date: '1980-05-03', nationality: 'FR', country_of_residence: 'FR' },
      business_email: 'two-mandates@garnier.example',
      mandate: { scheme, signed_at: '2027-01-10T09:00:00Z' },
    })
  }
  const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-02-02')
  const before = (await billsOf(app, borrower))[0]!
  await byHand(app, await debitOf(app, loan), 'returnSandboxInstruction', 'MD01')
  await app.drain()
  const [result] = await endedMails(app, loan)
  expect(result!.text).toContain(referenceOf(loan))
  expect(result!.text).not.toContain(before.payment.to_references[0]!)
  const { payment } = (await billsOf(app, borrower))[0]!
  expect(before.payment.scheduled_at).toBe('2027-02-03T00:00:00Z')
  expect(payment).toMatchObject({
    payment_method: 'DIRECT_DEBIT',
    status: 'SCHEDULED',
    scheduled_at: '2027-02-05T00:00:00Z',
  })
})

story('the account is closed: no more debits under its mandate', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const first = await lend(app, borrower, { amount: 100_000, days: 3 })
  const handed = await lend(app, borrower, { amount: 50_000, days: 5 })
  const planned = await lend(app, borrower, { amount: 40_000, days: 20 })
  await until('2027-01-14')
  await byHand(app, await debitOf(app, first), 'returnSandboxInstruction', 'AC04')
  await app.drain()
  const { data } = await app.client.listRepaymentMethods({ borrower_id: borrower.id })
  expect(data.map(method => method.status)).toEqual(['DEACTIVATED'])
  for (const loan of [handed, planned]) {
    expect((await debitOf(app, loan)).status).toBe('CANCELED')
  }
  expect((await instructionOf(app, await debitOf(app, handed))).status).toBe('CANCELED')
  // Without a method the borrower cannot draw, and repays its debts by transfer.
  const { status } = await app.client.getBorrower({ borrower_id: borrower.id })
  expect(status).toBe('SIGNED')
  const [result] = await endedMails(app, planned)
  expect(result!.text).toContain('Votre banque nous indique')
  expect(result!.text).toContain('Merci de mettre en place un autre mode de remboursement')
  for (const [loan, amount] of [
    [first, '1 000,00 €'],
    [handed, '500,00 €'],
    [planned, '400,00 €'],
  ] as const) {
    const words = result!.text.replace(/[\u00a0\u202f]/g, ' ')
    expect(words).toContain(`Prêt : ${referenceOf(loan)}\nMontant à payer : ${amount}`)
  }
  await payIn(app, { to: handed, amount: 50_000 })
  await until('2027-02-03')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', payment: { payment_method: 'SCT' } },
  ])
  const bank_identifier = 'BNPAFRPP'
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number: generateIban('FRA', 'SUCCESS', 4_711), bank_identifier },
    mandate: { scheme: 'CORE', signed_at: '2027-01-20T10:00:00Z' },
  })
  await app.drain()
  for (const loan of [first, planned]) {
    const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    expect(OPEN_DEBIT).toContain(debits.at(-1)!.status)
  }
  await until('2027-02-10')
  expect((await loanOf(app, planned.id)).status).toBe('TO_REPAY_FEES')
})

story(
  'a debit requested after its mandate ended uses another mandate, or is refused',
  async tale => {
    const { app, until } = tale
    const [borrower, other] = [await readyBorrower(app), await readyBorrower(app)]
    const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
    const left = await lend(app, other, { amount: 50_000, days: 10 })
    await until('2027-01-26')
    const debits = (of = loan) => paymentsOfType(app, of, 'REPAYMENT_NOMINAL')
    for (const one of [loan, left]) {
      await returnDebit(app, await debitOf(app, one), { reason_code: 'AC04' })
    }
    const { bank_identifier, account_number } = await app.client.generateSandboxBusiness({
      is_borrower: true,
    })
    await app.client.addRepaymentMethod({
      borrower_id: borrower.id,
      payment_method: 'DIRECT_DEBIT',
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
      from_account: { account_number: account_number!, bank_identifier },
    })
    const debit = { repayment_method: 'DIRECT_DEBIT' as const }
    const changed = await app.client.changeLoan({ loan_id: loan.id, ...debit })
    expect(changed).toMatchObject({ ...debit, repayment_from: { account_number } })
    expect(await debits()).toMatchObject([{ status: 'PAID' }, { status: 'SCHEDULED' }])
    // Without a mandate a debit is refused, but the due date can still change.
    expect(await refusal(app.client.changeLoan({ loan_id: left.id, ...debit }))).toMatchObject({
      status: 409,
      code: 'change_refused',
    })
    const put_off = { loan_id: left.id, to_repay_at: '2027-02-10' }
    expect(await app.client.changeLoan(put_off)).toMatchObject({
      to_repay_at: '2027-02-10T00:00:00Z',
    })
    expect(await debits(left)).toHaveLength(1)
    await until('2027-02-01')
    expect(await debits()).toMatchObject([{ status: 'PAID' }, { status: 'PAID' }])
  },
)

story('the lender reverses a debit: the loan is open again', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  await byHand(app, await debitOf(app, loan), 'reverseSandboxInstruction')
  await app.drain()
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY', repaid_amount: 0 })
  expect(await paymentsOfType(app, loan, 'CHARGEBACK')).toMatchObject([
    { amount: 100_000, failure_reason: 'AM05' },
  ])
})

story('a B2B debit is final after three banking days', async ({ app, until }) => {
  const generated = await app.client.generateSandboxBusiness({ is_borrower: true })
  const borrower = await readyBorrower(app, 'SCT')
  await app.client.addRepaymentMethod({
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
  const returned = await lend(app, borrower, { amount: 100_000, days: 3 })
  const final = await lend(app, borrower, { amount: 50_000, days: 3 })
  await until('2027-01-19')
  expect(await lineOf(app, borrower)).toMatchObject({ balance_pending: 150_000 })
  const refund = await refusal(
    byHand(app, await debitOf(app, final), 'refundSandboxInstruction', 'MD01'),
  )
  expect(refund).toMatchObject({ code: 'state_conflict', message: expect.stringContaining('B2B') })
  await byHand(app, await debitOf(app, returned), 'returnSandboxInstruction')
  await app.drain()
  expect((await loanOf(app, returned.id)).status).toBe('TO_REPAY')
  await until('2027-01-20')
  expect(await lineOf(app, borrower)).toMatchObject({ balance_pending: 0 })
  const late = await refusal(byHand(app, await debitOf(app, final), 'returnSandboxInstruction'))
  expect(late).toMatchObject({ code: 'state_conflict' })
})

story(
  'refunds on CLOSED loans: after eight weeks, and after thirteen months',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const [disputed, unauthorised] = [
      await lend(app, borrower, { amount: 100_000, days: 3 }),
      await lend(app, borrower, { amount: 50_000, days: 3 }),
    ]
    await until('2027-02-03')
    for (const { id } of [disputed, unauthorised]) {
      expect((await loanOf(app, id)).status).toBe('CLOSED')
    }
    const refund = async (loan: Loan, reason_code: string) =>
      byHand(app, await debitOf(app, loan), 'refundSandboxInstruction', reason_code)
    await until('2027-03-11')
    await refund(disputed, 'MD06')
    await app.drain()
    const open = { status: 'TO_REPAY', repaid_nominal_amount: 0 }
    // The bill stays paid. Interest counts as if the debit had never repaid the principal.
    expect(await loanOf(app, disputed.id)).toMatchObject({ ...open, paid_interests_amount: 150 })
    expect((await loanOf(app, disputed.id)).fees_ongoing).toBe(2_950)
    // This story comes last, because it skips months without running their days.
    const months = (to: string) =>
      app.context.database.pool.query(
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
    await app.drain()
    expect(await loanOf(app, unauthorised.id)).toMatchObject(open)
    const { data } = await app.client.listRepaymentMethods({ borrower_id: borrower.id })
    expect(data.map(method => method.status)).toEqual(['DEACTIVATED'])
  },
)
