/** Loans whose mandate has ended are repaid by transfer, and their borrowers are told how. */
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
  referenceOf,
  returnDebit,
} from '../support/money.ts'
import { mailsTo, type ReadyBorrower, readyBorrower } from '../support/story.ts'

// A Monday.
const story = calendar('2027-01-11')

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

/** The mails with this subject to a borrower, in plain spaces. */
async function textsTo(app: TestApp, borrower: ReadyBorrower, subject: RegExp) {
  return (await mailsTo(app, borrower, subject)).map(mail => plain(mail.text))
}

const endedMails = (app: TestApp, borrower: ReadyBorrower) => textsTo(app, borrower, /a pris fin/)

/** Ends a borrower's mandate: its bank refuses the first debit of a loan. */
async function endMandate(app: TestApp, loan: Loan) {
  const { id: instruction_id } = await instructionOf(app, await debitOf(app, loan))
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'AC04' })
  await app.drain()
}

story('each installment is requested by its own banking day', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const first = await lend(app, borrower, { amount: 10_000, days: 7 })
  // A Wednesday, then a Saturday and a Sunday.
  const parts = await lendInParts(app, borrower, [
    [30_000, 16],
    [20_000, 26],
    [50_000, 34],
  ])
  const single = await lend(app, borrower, { amount: 40_000, days: 20 })
  await until('2027-01-16')
  await endMandate(app, first)
  const [told] = await endedMails(app, borrower)
  const due = (amount: string, on: string) => `Montant à payer : ${amount}\nÉchéance : ${on}\n`
  expect(told).toContain(
    `Prêt : ${referenceOf(parts)}\n` +
      due('300,00 €', '27 janvier 2027') +
      due('200,00 €', '8 février 2027') +
      due('500,00 €', '15 février 2027') +
      'Titulaire',
  )
  expect(told).not.toContain('1 000,00 €')
  // The 31st is a Sunday.
  expect(told).toContain(`Prêt : ${referenceOf(single)}\n${due('400,00 €', '1er février 2027')}`)
})

story('a fee is requested by the day of its debit', async ({ app, until }) => {
  await withFee(app)
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  await activateFee(app, borrower.id)
  const loan = await lend(app, borrower, { amount: 10_000, days: 22 })
  await until('2027-02-02')
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AC04' })
  const [told] = await endedMails(app, borrower)
  expect(told).toContain('Montant à payer : 9,90 €\nÉchéance : 3 février 2027\n')
})
