/** Financed invoices: from the request to the buyer's transfer and the last bill. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import { billsOf, loanOf, payIn, paymentsOfType, referenceOf } from '../support/money.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'

const story = calendar('2027-01-11')

async function invoiceOf(app: TestApp, borrower: ReadyBorrower, total = 100_000) {
  const day = await today(app)
  return app.client.createInvoice(
    await validInvoice({
      seller: { identifier: borrower.identifier },
      net_amount: total,
      tax_amount: 0,
      total_amount: total,
      issued_at: plusDays(day, -5),
      due_at: plusDays(day, 40),
    }),
  )
}

async function requestOn(
  app: TestApp,
  borrower: ReadyBorrower,
  input: { amount: number; invoice_ids: string[]; auto_validate?: boolean },
) {
  return app.client.createLoan(invoiceLoan(borrower, await today(app), input))
}

story("invoice, loan, payout, buyer's payment, bill, closed", async ({ app, until }) => {
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await invoiceOf(app, borrower)
  expect(invoice.status).toBe('VERIFIED')
  const requested = await requestOn(app, borrower, { amount: 100_000, invoice_ids: [invoice.id] })
  expect(requested).toMatchObject({ status: 'VALIDATED', invoice_ids: [invoice.id] })
  await app.drain()
  const loan = await loanOf(app, requested.id)
  expect(loan.status).toBe('TO_REPAY')
  expect((await client.getInvoice({ invoice_id: invoice.id })).loan_ids).toEqual([loan.id])

  await until('2027-01-31')
  // The buyer does not know the reference, but the account that it pays into identifies the loan.
  await payIn(app, { to: loan, amount: 100_000, reference: 'Invoice, thank you' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 100_000,
    fees_ongoing: 1_000,
  })
  const [paid] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(paid?.to_account_details?.account_number).toBe(loan.repayment_to.account_number)
  expect((await client.getInvoice({ invoice_id: invoice.id })).status).toBe('PAID')

  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_000 })
  const wallet = { ...loan, repayment_to: bill!.payment.to_account_details! }
  const [reference] = bill!.payment.to_references
  await payIn(app, { to: wallet, amount: 1_000, reference: reference! })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
})

story('each loan has its own account', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await invoiceOf(app, borrower)
  const input = { amount: 30_000, invoice_ids: [invoice.id] }
  const loans = [await requestOn(app, borrower, input), await requestOn(app, borrower, input)]
  const [first, second] = loans.map(loan => loan.repayment_to.account_number)
  expect(first).not.toBe(second)
  await app.drain()
  await payIn(app, { to: loans[1]!, amount: 30_000, reference: null })
  expect((await loanOf(app, loans[0]!.id)).status).toBe('TO_REPAY')
  expect((await loanOf(app, loans[1]!.id)).repaid_nominal_amount).toBe(30_000)
})

story('references in the text take priority over the loan whose account was used', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await invoiceOf(app, borrower)
  const input = { amount: 40_000, invoice_ids: [invoice.id] }
  const [own, other] = [
    await requestOn(app, borrower, input),
    await requestOn(app, borrower, input),
  ]
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  // Interest on €800 for 21 days.
  expect(bill).toMatchObject({ status: 'TO_PAY', to_pay_amount: 840 })
  const [reference] = bill!.payment.to_references
  await payIn(app, { to: own, amount: 840, reference: reference! })
  expect(await billsOf(app, borrower)).toMatchObject([{ id: bill!.id, status: 'PAID' }])
  expect((await loanOf(app, own.id)).repaid_nominal_amount).toBe(0)
  await payIn(app, { to: own, amount: 30_000, reference: referenceOf(other) })
  expect((await loanOf(app, other.id)).repaid_nominal_amount).toBe(30_000)
  expect((await loanOf(app, own.id)).repaid_nominal_amount).toBe(0)
  // A surplus goes to the loan whose account received the transfer.
  const text = `${reference} ${referenceOf(other)}`
  await payIn(app, { to: own, amount: 30_000, reference: text })
  // The other loan still owed €100 and €0.40 of interest for two days of February.
  expect(await loanOf(app, other.id)).toMatchObject({ repaid_amount: 40_460, status: 'CLOSED' })
  expect((await loanOf(app, own.id)).repaid_nominal_amount).toBe(19_960)
})

story('an overpayment is refunded to the buyer', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await invoiceOf(app, borrower)
  const loan = await requestOn(app, borrower, { amount: 60_000, invoice_ids: [invoice.id] })
  await app.drain()
  await until('2027-01-21')
  const buyer = (await app.client.generateSandboxIban({ country: 'FRA' })).iban
  await payIn(app, { to: loan, amount: 100_000, reference: null, from_iban: buyer })
  // Interest on €600 for ten days is €3.
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 60_300 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { amount: 39_700, to_account_details: { account_number: buyer } },
  ])
})

story('in two parts, but never beyond its amount', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await invoiceOf(app, borrower)
  const on = (amount: number) => requestOn(app, borrower, { amount, invoice_ids: [invoice.id] })
  expect(await on(100_001)).toMatchObject({ denial_reason: 'EXCESSIVE_AMOUNT_LOAN_REQUEST' })
  const first = await on(60_000)
  expect(await on(40_001)).toMatchObject({ denial_reason: 'INVOICE_ALREADY_FINANCED' })
  const second = await on(40_000)
  expect([first.status, second.status]).toEqual(['VALIDATED', 'VALIDATED'])
  await app.drain()
  // A repaid loan still counts against the invoice's amount.
  await until('2027-01-15')
  await payIn(app, { to: first, amount: 60_000, reference: null })
  expect((await app.client.getInvoice({ invoice_id: invoice.id })).status).toBe('VERIFIED')
  expect(await on(1)).toMatchObject({ denial_reason: 'INVOICE_ALREADY_FINANCED' })
  await payIn(app, { to: second, amount: 40_000, reference: null })
  expect((await app.client.getInvoice({ invoice_id: invoice.id })).status).toBe('PAID')
})

story('canceling a loan frees its invoice', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const invoice = await invoiceOf(app, borrower)
  const input = { amount: 100_000, invoice_ids: [invoice.id] }
  const loan = await requestOn(app, borrower, { ...input, auto_validate: false })
  await app.client.cancelLoan({ loan_id: loan.id })
  expect((await requestOn(app, borrower, input)).status).toBe('VALIDATED')
})
