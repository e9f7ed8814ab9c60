/** A bill that proves wrong is replaced while unpaid, and otherwise corrected by the next bill. */
import { expect } from 'vitest'
import { generateBills } from '../../src/credit/bills/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { readPdf } from '../documents/samples.ts'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, loanOf, payIn } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

const referenceOn = (bill: { payment: { to_references: string[] } }) =>
  bill.payment.to_references[0]!

story('overbilled and unpaid: the bill is replaced', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  const [wrong] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-30' })
  const [old, bill] = await billsOf(app, borrower)
  expect(old).toMatchObject({
    id: wrong!.id,
    status: 'INVALID',
    to_pay_amount: 200,
    invoice_number: wrong!.invoice_number,
    payment: { id: wrong!.payment.id, status: 'CANCELED' },
  })
  expect(bill).toMatchObject({
    status: 'TO_PAY',
    amends_bill_id: wrong!.id,
    to_pay_amount: 150,
    due_date: wrong!.due_date,
    invoice_number: expect.stringMatching(/^HR-2027-/),
    lines: [
      { loan_id: loan.id, principal: 100_000, days: 2, amount: 100 },
      { loan_id: loan.id, principal: 50_000, days: 2, amount: 50 },
    ],
    payment: { status: 'SCHEDULED', amount: 150, scheduled_at: wrong!.due_date },
  })
  expect(bill!.invoice_number).not.toBe(wrong!.invoice_number)
  const pdf = await fetch(bill!.document_url!)
  const { text } = await readPdf(Buffer.from(await pdf.arrayBuffer()))
  for (const number of [bill!.invoice_number!, wrong!.invoice_number!]) {
    expect(text).toContain(number)
  }
  await app.drain()
  const { data: mails } = await app.client.listSandboxMailbox({ page_size: 500 })
  const written = mails.map(mail => `${mail.subject} ${mail.text}`).join()
  expect(written).toContain(bill!.invoice_number!)
  expect(written).toContain(`annule et remplace la facture ${wrong!.invoice_number}`)
  const result = await app.client.listWebhookEvents({ type: ['Bill.INVALID', 'Bill.TO_PAY'] })
  const bills = result.data.map(e => [e.type, (e.data as { id: string }).id])
  expect(bills).toContainEqual(['Bill.INVALID', old!.id])
  expect(bills).toContainEqual(['Bill.TO_PAY', bill!.id])
  // A payment with the reference of the invalid bill pays the new one.
  await payIn(app, { to: loan, amount: 150, reference: referenceOn(wrong!) })
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'INVALID' }, { status: 'PAID' }])
  expect((await loanOf(app, loan.id)).paid_interests_amount).toBe(150)
})

story('billed although nothing is owed: no new bill', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-28' })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', fees_ongoing: 0 })
  await app.drain()
  const [withdrawn] = await billsOf(app, borrower)
  const { data: mails } = await app.client.listSandboxMailbox({ page_size: 500 })
  const about = mails.filter(mail => mail.subject.includes(withdrawn!.invoice_number!))
  expect(about.map(mail => mail.subject)).toEqual([
    `Facture d’intérêts ${withdrawn!.invoice_number} annulée`,
    expect.stringContaining('du 1er'),
  ])
  await until('2027-03-01')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'INVALID', to_pay_amount: 200, payment: { status: 'CANCELED' } },
  ])
})

story("one loan's credit equals another's debt: no new bill, but a mail", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  const [january] = await billsOf(app, borrower)
  await payIn(app, { to: wrong, amount: 200, reference: referenceOn(january!) })
  await until('2027-02-09')
  const right = await lend(app, borrower, { amount: 10_000, days: 45 })
  await until('2027-03-02')
  const [, february] = await billsOf(app, borrower)
  expect(february).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_400 + 100 })
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
  const ofFebruary = [{ status: 'PAID' }, { id: february!.id, status: 'INVALID' }]
  expect(await billsOf(app, borrower)).toMatchObject(ofFebruary)
  const { data: mails } = await app.client.listSandboxMailbox({ page_size: 500 })
  const about = mails.filter(mail => mail.subject.includes(february!.invoice_number!))
  expect(about[0]?.subject).toBe(`Facture d’intérêts ${february!.invoice_number} annulée`)
  await until('2027-03-11')
  await payIn(app, { to: right, amount: 10_000 })
  await until('2027-04-02')
  // The next bill credits 100 for one loan, and charges 100 plus ten days of March for the other.
  expect(await billsOf(app, borrower)).toMatchObject([
    ...ofFebruary,
    {
      to_pay_amount: 50,
      lines: expect.arrayContaining([
        expect.objectContaining({ loan_id: wrong.id, amount: -100 }),
        expect.objectContaining({ loan_id: right.id, amount: 150 }),
      ]),
    },
  ])
})

story('a wrong bill for two loans: only the affected line changes', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const first = await lend(app, borrower, { amount: 100_000, days: 45 })
  const second = await lend(app, borrower, { amount: 200_000, days: 45 })
  await until('2027-02-05')
  await payIn(app, { to: second, amount: 200_000, value_date: '2027-01-30' })
  await payIn(app, { to: first, amount: 100_000, value_date: '2027-01-30' })
  const bills = await billsOf(app, borrower)
  expect(bills.map(b => [b.status, b.lines.map(l => l.amount)])).toEqual([
    ['INVALID', [200, 400]],
    ['INVALID', [200, 200]],
    ['TO_PAY', [100, 200]],
  ])
  expect(bills.map(b => b.amends_bill_id)).toEqual([null, bills[0]!.id, bills[1]!.id])
  expect(new Set(bills.map(b => b.invoice_number)).size).toBe(3)
})

story('part of a wrong bill was paid: it stays, and the next one is lower', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 50, reference: referenceOn(bill!) })
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-30' })
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', to_pay_amount: 150, payment: { amount: 150 } },
  ])
  await until('2027-03-01')
  const [january, february] = await billsOf(app, borrower)
  expect(january!.lines).toEqual(bill!.lines)
  expect(february!.lines).toMatchObject([
    { kind: 'INTEREST', principal: 50_000, days: 28, amount: 700 },
    {
      kind: 'ADJUSTMENT',
      reason: 'REPAYMENT_VALUED_EARLIER',
      corrects_bill_id: bill!.id,
      corrects_invoice_number: bill!.invoice_number,
      principal: -50_000,
      amount: -50,
      start_date: '2027-01-30T00:00:00Z',
      end_date: '2027-01-31T00:00:00Z',
      days: 2,
    },
  ])
})

story('the debit of a wrong bill is frozen: it stays, and the next one is lower', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-02')
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-30' })
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', to_pay_amount: 200, payment: { status: 'INSTRUCTED', amount: 200 } },
  ])
  await until('2027-03-01')
  // Interest on €1,000 for two days and €500 for thirty is 850, of which 200 are billed.
  const lines = (await billsOf(app, borrower)).flatMap(b => b.lines.map(l => l.amount))
  expect(lines).toEqual([200, 700, -50])
  expect((await loanOf(app, loan.id)).fees_ongoing).toBe(850)
})

story('a bill sent after the next one was generated charges its own month', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  await until('2027-04-10')
  await lend(app, borrower, { amount: 100_000, days: 45 })
  // 2 May is a Sunday: April's bill is generated, and waits for the first banking day.
  await until('2027-05-02')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'GENERATED' }])
  await generateBills(app.context.database, day('2027-06-01'))
  await until('2027-05-04')
  const [april, may] = await billsOf(app, borrower)
  expect(april).toMatchObject({ status: 'TO_PAY', total_amount: 1_050, lines: [{ days: 21 }] })
  expect(may).toMatchObject({ status: 'TO_PAY', total_amount: 1_550, lines: [{ days: 31 }] })
})
