/** Paid bills that prove too high are credited. Credits offset open bills; the rest is refunded. */
import { expect } from 'vitest'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { readPdf } from '../documents/samples.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  type Bill,
  billsOf,
  booksOf,
  creditOf,
  expectLogAddsUp,
  instructionOf,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { agree, asSecondPartner, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

const referenceOn = (bill: Bill) => bill.payment.to_references[0]!

async function refundsOf({ client }: TestApp, bill: Bill) {
  const { data } = await client.listPayments({ payment_type: ['REFUND'] })
  return data.filter(payment => payment.related_to.bills.some(one => one.bill_id === bill.id))
}

async function readPaper(bill: Bill): Promise<string> {
  const pdf = await fetch(bill.document_url!)
  return (await readPdf(Buffer.from(await pdf.arrayBuffer()))).text
}

story('a paid bill that proves too high is credited and refunded', async tale => {
  const { app, until } = tale
  const { client } = app
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ kind: 'BILL', status: 'PAID', to_pay_amount: 200, refund_amount: 0 })
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-30' })
  // Half of the payment was not owed, but is refunded only with the next bill.
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    fees_ongoing: 100,
    paid_interests_amount: 200,
  })
  expect(await paymentsOfType(app, loan, 'REFUND')).toEqual([])
  expect(await billsOf(app, borrower)).toMatchObject([{ id: bill!.id, status: 'PAID' }])

  await until('2027-03-01')
  const [, credit] = await billsOf(app, borrower)
  expect(credit).toMatchObject({
    kind: 'CREDIT_NOTE',
    status: 'PAID',
    to_pay_amount: -100,
    refund_amount: 100,
    invoice_number: expect.stringMatching(/^HRC-2027-\d{6}$/),
    lines: [{ kind: 'ADJUSTMENT', days: 2, amount: -100, corrects_bill_id: bill!.id }],
    invoice: { total_amount: -100 },
    payment: {
      payment_type: 'REFUND',
      status: 'SCHEDULED',
      amount: 100,
      to_account_details: { account_number: borrower.account_number },
      scheduled_at: '2027-03-02T00:00:00Z',
    },
  })
  expect(await loanOf(app, loan.id)).toMatchObject({ paid_interests_amount: 100 })
  await expectLogAddsUp(app, loan)
  expect(await creditOf(app, borrower.id)).toBe(100)
  const text = await readPaper(credit!)
  for (const words of ['Avoir', credit!.invoice_number!, '1,00 €', 'Remboursé le 2 mars 2027']) {
    expect(text).toContain(words)
  }
  expect(text).not.toContain('prélevé')
  await app.drain()
  const { data: mails } = await client.listSandboxMailbox({ page_size: 500 })
  const mail = mails.find(one => one.subject.includes(credit!.invoice_number!))
  expect(mail?.subject).toContain('Avoir')
  expect(mail?.text).toContain('2 mars 2027')
  expect(mail?.attachments).toHaveLength(1)
  const only = await client.listBills({ business_id: [borrower.id], kind: 'CREDIT_NOTE' })
  expect(only.data.map(one => one.id)).toEqual([credit!.id])

  await until('2027-03-02')
  expect(await refundsOf(app, credit!)).toMatchObject([{ status: 'PAID', amount: 100 }])
  expect(await creditOf(app, borrower.id)).toBe(0)
  expect(await booksOf(app, loan)).toEqual({ interest_income: -100 })
  const days = { from: '2027-01-01', to: '2027-03-31' }
  const result = await client.getBorrowerStatement({ borrower_id: borrower.id, ...days })
  const kinds = result.movements.map(({ kind, refund, amount }) => [kind, refund, amount])
  expect(kinds).toContainEqual(['credit_note', 100, 0])
  expect(kinds).toContainEqual(['credit_refund', -100, 100])
  expect(result.closing_balance).toBe(0)
  const types = ['Bill.GENERATED', 'Bill.PAID'] as const
  const { data: events } = await client.listWebhookEvents({ type: [...types], page_size: 500 })
  const about = events.filter(e => (e.data as Bill).id === credit!.id)
  expect(about.map(e => e.type).sort()).toEqual([...types])
  await until('2027-06-01')
  expect(await billsOf(app, borrower)).toHaveLength(2)
})

story("a credit and another loan's interest: the bill asks for the difference", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
  const right = await lend(app, borrower, { amount: 200_000, days: 45 })
  await until('2027-02-05')
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
  await until('2027-03-01')
  const [, bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({
    kind: 'BILL',
    status: 'TO_PAY',
    to_pay_amount: 2_700,
    refund_amount: 0,
    lines: [
      { loan_id: wrong.id, amount: -100 },
      { loan_id: right.id, amount: 2_800 },
    ],
    payment: { amount: 2_700 },
  })
  await until('2027-03-03')
  const [, paid] = await billsOf(app, borrower)
  expect(paid).toMatchObject({ status: 'PAID', to_pay_amount: 2_700, payment: { amount: 2_700 } })
  expect((await loanOf(app, right.id)).paid_interests_amount).toBe(3_200)
  expect((await loanOf(app, wrong.id)).paid_interests_amount).toBe(100)
  expect(await creditOf(app, borrower.id)).toBe(0)
})

story('a correction of an unpaid bill is credited, and nothing refunded', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
  await lend(app, borrower, { amount: 200_000, days: 45 })
  await until('2027-03-02')
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-29' })
  const [january, , february] = await billsOf(app, borrower)
  const settled = { status: 'TO_PAY', paid_amount: 0, lapsed_amount: 0 }
  expect(january).toMatchObject({
    ...settled,
    total_amount: 600,
    credited_amount: 150,
    open_amount: 450,
  })
  expect(february).toMatchObject({
    ...settled,
    total_amount: 2_650,
    credited_amount: -150,
    open_amount: 2_800,
  })
  const days = { from: '2027-01-01', to: '2027-03-31' }
  const result = await app.client.getBorrowerStatement({ borrower_id: borrower.id, ...days })
  expect(result.bills.map(bill => [bill.paid_amount, bill.credited_amount])).toEqual([
    [0, 150],
    [0, -150],
  ])
})

/** January is overbilled by 150 cents, which were paid, and February's bill is mostly unpaid. */
async function creditBesideOpenBill({ app, until }: StoryContext) {
  const borrower = await readyBorrower(app, 'SCT')
  const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
  const right = await lend(app, borrower, { amount: 200_000, days: 45 })
  await until('2027-02-05')
  const [january] = await billsOf(app, borrower)
  await payIn(app, { to: wrong, amount: 600, reference: referenceOn(january!) })
  await until('2027-03-01')
  const [, february] = await billsOf(app, borrower)
  expect(february).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_400 + 2_800 })
  // A partly paid bill is not replaced but corrected by the next one.
  await payIn(app, { to: right, amount: 100, reference: referenceOn(february!) })
  await payIn(app, { to: right, amount: 200_000, value_date: '2027-02-28' })
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-29' })
  // The bill now charges only 27 days of the second loan: 2,700, of which 100 is paid.
  expect((await billsOf(app, borrower))[1]).toMatchObject({ to_pay_amount: 2_600 })
  return { borrower, wrong, right }
}

story("a credit first offsets the payer's open bill", async tale => {
  const { app, until } = tale
  const { borrower, wrong, right } = await creditBesideOpenBill(tale)
  await until('2027-04-01')
  const [january, february, credit] = await billsOf(app, borrower)
  expect(february).toMatchObject({ status: 'TO_PAY', to_pay_amount: 2_450 })
  expect(credit).toMatchObject({
    kind: 'CREDIT_NOTE',
    status: 'PAID',
    to_pay_amount: -1_650,
    refund_amount: 0,
    lines: [
      { loan_id: wrong.id, corrects_bill_id: january!.id, days: 3, amount: -150 },
      { loan_id: wrong.id, corrects_bill_id: february!.id, days: 28, amount: -1_400 },
      { loan_id: right.id, corrects_bill_id: february!.id, days: 1, amount: -100 },
    ],
  })
  expect(await creditOf(app, borrower.id)).toBe(0)
  const paper = await readPaper(credit!)
  // €15.00 of February is no longer owed. The €1.50 overpaid in January is offset against the rest.
  expect(paper).toContain('Facturé, non payé, n’est plus dû 15,00 €')
  expect(paper).toContain('Imputé sur des factures ouvertes 1,50 €')
  await payIn(app, { to: right, amount: 2_450, reference: referenceOn(february!) })
  for (const [loan, interest] of [[wrong, 50] as const, [right, 3_100] as const]) {
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'CLOSED',
      paid_interests_amount: interest,
    })
  }
})

story('an open bill with a frozen debit is left alone: everything is refunded', async tale => {
  const { app, until } = tale
  const { borrower, right } = await creditBesideOpenBill(tale)
  await until('2027-03-30')
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
  await until('2027-04-01')
  const [, february, credit] = await billsOf(app, borrower)
  expect(february).toMatchObject({
    to_pay_amount: 2_600,
    payment: { payment_method: 'DIRECT_DEBIT', amount: 2_600 },
  })
  expect(credit).toMatchObject({ kind: 'CREDIT_NOTE', refund_amount: 150 })
  await until('2027-04-12')
  expect((await billsOf(app, borrower))[1]).toMatchObject({ status: 'PAID' })
  expect(await loanOf(app, right.id)).toMatchObject({ status: 'CLOSED' })
  expect(await refundsOf(app, credit!)).toMatchObject([{ status: 'PAID', amount: 150 }])
})

story('the credited debit is returned: all its interest is owed, and no principal', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-30' })
  await until('2027-03-09')
  const { id: instruction_id } = await instructionOf(app, bill!.payment)
  await app.client.refundSandboxInstruction({ instruction_id })
  await app.drain()
  expect(await loanOf(app, loan.id)).toMatchObject({
    // The refunded credit is owed as well, but interest paid never shows less than zero.
    status: 'TO_REPAY_FEES',
    fees_ongoing: 100,
    paid_interests_amount: 0,
    repaid_nominal_amount: 100_000,
    repaid_amount: 100_000,
  })
  expect(await app.client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({ total: 200 })
  const [reopened, credit] = await billsOf(app, borrower)
  expect(reopened).toMatchObject({ status: 'TO_PAY', to_pay_amount: 200 })
  expect(credit).toMatchObject({ status: 'PAID', refund_amount: 100 })
  await payIn(app, { to: loan, amount: 200, reference: referenceOn(reopened!) })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    paid_interests_amount: 100,
    repaid_amount: 100_100,
  })
  await until('2027-05-01')
  expect(await billsOf(app, borrower)).toHaveLength(2)
})

story('a refund of a credit is returned: kept, mailed, and offset by the next bill', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
  await until('2027-03-02')
  const [, credit] = await billsOf(app, borrower)
  await returnDebit(app, credit!.payment)
  expect(await creditOf(app, borrower.id)).toBe(100)
  const waiting = async () =>
    (await asOperator(app, readOpenAlerts)).filter(alert => alert.subject_id === credit!.id)
  expect(await waiting()).toMatchObject([{ kind: 'refund_waiting' }])
  const next = await lend(app, borrower, { amount: 200_000, days: 10 })
  await until('2027-04-01')
  const [, , bill] = await billsOf(app, borrower)
  expect(await creditOf(app, borrower.id)).toBe(0)
  expect(bill).toMatchObject({ status: 'TO_PAY', kind: 'BILL' })
  expect(bill!.to_pay_amount).toBe((await loanOf(app, next.id)).fees_ongoing! - 100)
  expect(await refundsOf(app, credit!)).toHaveLength(1)
  expect(await waiting()).toEqual([])
})

story(
  'a credit pays a bill whose payout is returned: it is credited again and refunded',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
    await until('2027-02-05')
    await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
    await until('2027-03-02')
    const [, credit] = await billsOf(app, borrower)
    await returnDebit(app, credit!.payment)
    const next = await lend(app, borrower, { amount: 200_000, days: 45 })
    await until('2027-04-01')
    const [, , bill] = await billsOf(app, borrower)
    const left = { status: 'TO_PAY', to_pay_amount: 2_900 }
    expect(bill).toMatchObject(left)
    const [payout] = await paymentsOfType(app, next, 'LOAN_PAYMENT')
    await returnDebit(app, payout!)
    // The rest of the credit waits for the next credit note.
    expect((await billsOf(app, borrower))[2]).toMatchObject({ id: bill!.id, status: 'PAID' })
    expect(await creditOf(app, borrower.id)).toBe(0)
    await until('2027-05-04')
    const [, , , again] = await billsOf(app, borrower)
    expect(again).toMatchObject({ kind: 'CREDIT_NOTE', to_pay_amount: -3_000, refund_amount: 100 })
    expect(await refundsOf(app, again!)).toMatchObject([
      {
        status: 'PAID',
        amount: 100,
        to_account_details: { account_number: borrower.account_number },
      },
    ])
    expect(await booksOf(app, next)).toEqual({})
  },
)

story('a payout is returned: its billed and paid interest is credited', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
  expect(await paymentsOfType(app, loan, 'REFUND')).toEqual([])
  await until('2027-03-02')
  const [, credit] = await billsOf(app, borrower)
  expect(credit).toMatchObject({ kind: 'CREDIT_NOTE', to_pay_amount: -200, refund_amount: 200 })
  expect(await refundsOf(app, credit!)).toMatchObject([{ status: 'PAID', amount: 200 }])
  expect(await booksOf(app, loan)).toEqual({})
})

story('paid by the partner: credited and refunded to the partner', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(app, 'SCT')
  const first = await lend(app, borrower, { amount: 100_000, days: 45 })
  const other = await readyBorrower(app, 'SCT')
  const second = await lend(app, other, { amount: 200_000, days: 45 })
  const bills = async () => {
    const { data } = await app.client.listBills({ business_id: [app.partner_id] })
    return data.reverse()
  }
  await until('2027-02-02')
  const [bill] = await bills()
  const reference = referenceOn(bill!)
  const from_iban = PARTNER_COMPANY.iban
  await payIn(app, { to: first, amount: 600, reference, from_iban })
  await payIn(app, { to: first, amount: 100_000, value_date: '2027-01-29' })
  await payIn(app, { to: second, amount: 200_000, value_date: '2027-01-30' })
  expect(await paymentsOfType(app, first, 'REFUND')).toEqual([])
  await until('2027-03-01')
  const [, credit] = await bills()
  expect(credit).toMatchObject({
    kind: 'CREDIT_NOTE',
    billed_borrower_id: null,
    to_pay_amount: -350,
    refund_amount: 350,
    payment: { amount: 350, to_account_details: { account_number: from_iban } },
  })
  const { data: mails } = await app.client.listSandboxMailbox({ to: PARTNER_COMPANY.emails[0]! })
  expect(mails[0]!.subject).toContain(credit!.invoice_number!)
  await until('2027-03-02')
  expect(await refundsOf(app, credit!)).toMatchObject([{ status: 'PAID' }])
  expect(await creditOf(app, app.partner_id)).toBe(0)
  // The partner paid and was refunded, so the borrower's statement does not show the credit.
  const days = { from: '2027-01-01', to: '2027-03-31' }
  const result = await app.client.getBorrowerStatement({ borrower_id: borrower.id, ...days })
  expect(result.closing_balance).toBe(0)
  expect(result.movements.map(m => m.kind)).not.toContain('credit_note')
})
