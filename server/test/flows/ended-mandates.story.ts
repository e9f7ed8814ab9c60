/** Loans whose mandate has ended are repaid by transfer, and mails tell their borrowers how. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activateFee, withFee } from '../support/fees.ts'
import {
  debitOf,
  instructionOf,
  type Loan,
  lend,
  lendInParts,
  loanOf,
  payIn,
  referenceOf,
  returnDebit,
} from '../support/money.ts'
import {
  debitElsewhere,
  mailsTo,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
} from '../support/story.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

async function textsTo(app: TestApp, borrower: ReadyBorrower, subject: RegExp) {
  return (await mailsTo(app, borrower, subject)).map(mail => plain(mail.text))
}

const endedMails = (app: TestApp, borrower: ReadyBorrower) => textsTo(app, borrower, /a pris fin/)

/** Ends a borrower's mandate by rejecting a loan's debit because the account is closed. */
async function endMandate(app: TestApp, loan: Loan) {
  const { id: instruction_id } = await instructionOf(app, await debitOf(app, loan))
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'AC04' })
  await app.drain()
}

story('each installment is requested by its own banking day', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const first = await lend(app, borrower, { amount: 10_000, days: 7 })
  // The due dates are a Wednesday, a Saturday and a Sunday.
  const parts = await lendInParts(app, borrower, [
    [30_000, 16],
    [20_000, 26],
    [50_000, 34],
  ])
  const single = await lend(app, borrower, { amount: 40_000, days: 20 })
  await until('2027-01-16')
  await endMandate(app, first)
  const [result] = await endedMails(app, borrower)
  const due = (amount: string, on: string) => `Montant à payer : ${amount}\nÉchéance : ${on}\n`
  expect(result).toContain(
    `Prêt : ${referenceOf(parts)}\n` +
      due('300,00 €', '27 janvier 2027') +
      due('200,00 €', '8 février 2027') +
      due('500,00 €', '15 février 2027') +
      'Titulaire',
  )
  expect(result).not.toContain('1 000,00 €')
  // The loan is due on Sunday the 31st, so its banking day is Monday.
  expect(result).toContain(`Prêt : ${referenceOf(single)}\n${due('400,00 €', '1er février 2027')}`)
})

story('a fee is requested by the day of its debit', async ({ app, until }) => {
  await withFee(app)
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  await activateFee(app, borrower.id)
  const loan = await lend(app, borrower, { amount: 10_000, days: 22 })
  await until('2027-02-02')
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AC04' })
  const [result] = await endedMails(app, borrower)
  expect(result).toContain('Montant à payer : 9,90 €\nÉchéance : 3 février 2027\n')
})

story('a loan says that it is repaid by transfer, before its payout and after', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const first = await lend(app, borrower, { amount: 10_000, days: 7 })
  const closed = await lend(app, borrower, { amount: 20_000, days: 3 })
  const running = await lend(app, borrower, { amount: 30_000, days: 30 })
  // Payout on the 20th, due on Sunday the 31st.
  const later = await requestLoan(app, borrower, { amount: 40_000, pay_in: 9, days: 11 })
  await until('2027-01-16')
  await endMandate(app, first)
  const byTransfer = { repayment_method: 'SCT', repayment_from: null }
  for (const { id } of [first, running, later]) {
    expect(await loanOf(app, id)).toMatchObject(byTransfer)
    const { data } = await app.client.listWebhookEvents({ type: ['Loan.UPDATED'], page_size: 500 })
    const events = data.filter(event => (event.data as Loan).id === id)
    expect(events.map(event => event.data)).toContainEqual(expect.objectContaining(byTransfer))
    const { data: log } = await app.client.listLoanEvents({ loan_id: id })
    expect(JSON.stringify(log)).toContain('DIRECT_DEBIT → SCT')
  }
  expect(await loanOf(app, running.id)).toMatchObject({
    earliest_to_repay_at: '2027-01-16T00:00:00Z',
  })
  // A loan repaid by debit keeps its method. Once the debit is returned, only a transfer is left.
  expect(await loanOf(app, closed.id)).toMatchObject({ repayment_method: 'DIRECT_DEBIT' })
  await returnDebit(app, await debitOf(app, closed))
  expect(await loanOf(app, closed.id)).toMatchObject({ status: 'TO_REPAY', ...byTransfer })
  await payIn(app, { to: first, amount: 10_000 })
  await payIn(app, { to: closed, amount: 20_000 })
  await until('2027-01-20')
  expect(await loanOf(app, later.id)).toMatchObject({ status: 'TO_REPAY' })
  const paid = (await textsTo(app, borrower, /est versé/)).find(text =>
    text.includes(referenceOf(later)),
  )
  expect(paid).toContain('Montant à payer : 400,00 €\nÉchéance : 1er février 2027\n')
  expect(paid).toContain(`Référence du virement : ${referenceOf(later)}`)
  // A new direct debit collects the active loans that it is chosen for.
  await debitElsewhere(app, borrower, 4_791)
  expect(await loanOf(app, later.id)).toMatchObject({ repayment_method: 'DIRECT_DEBIT' })
  await until('2027-02-01')
  expect(await loanOf(app, later.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
})

story('a loan shorter than its notice stays due on the day of its debit', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const loan = await lend(app, borrower, { amount: 10_000, days: 1 })
  const { scheduled_at } = await debitOf(app, loan)
  expect(scheduled_at).toBe('2027-01-13T00:00:00Z')
  await until('2027-01-13')
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AC04' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    to_repay_at: scheduled_at,
    contractual_repayment_date: '2027-01-12T00:00:00Z',
  })
  const [result] = await endedMails(app, borrower)
  expect(result).toContain('Échéance : 13 janvier 2027')
  await until('2027-01-14')
  const [late] = await textsTo(app, borrower, /en retard/)
  expect(late).toContain('13 janvier 2027')
})

story('a loan repaid by transfer says how in the mail about its payout', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT', 'FRA')
  const loan = await lendInParts(app, borrower, [
    [30_000, 16],
    [20_000, 26],
  ])
  const [paid] = await textsTo(app, borrower, /est versé/)
  expect(paid).toContain('Montant à payer : 300,00 €\nÉchéance : 27 janvier 2027\n')
  expect(paid).toContain('Montant à payer : 200,00 €\nÉchéance : 8 février 2027\n')
  expect(paid).toContain(referenceOf(loan))
  const debited = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  await lend(app, debited, { amount: 10_000, days: 30 })
  const [result] = await textsTo(app, debited, /est versé/)
  expect(result).not.toContain('Référence du virement')
})
