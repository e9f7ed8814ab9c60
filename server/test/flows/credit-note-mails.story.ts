/** Mails and documents of credit notes say how their amount is used: refunded, kept or offset. */
import { expect } from 'vitest'
import { readPdf } from '../documents/samples.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { type Bill, billsOf, lend, payIn } from '../support/money.ts'
import { mailsTo, type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

const ACCOUNTS = ['FR7630006000011234567890189', 'FR7610107001011234567890129'] as const

const plain = (text: string) => text.replace(/\s+/g, ' ')

/** Credits half of a bill of 200 cents after it was paid in parts; returns the credit note. */
async function credited(
  { app, until }: StoryContext,
  borrower: ReadyBorrower,
  parts: readonly (readonly [amount: number, from_iban: string | null])[],
): Promise<Bill> {
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  const reference = bill!.payment.to_references[0]!
  for (const [amount, from_iban] of parts) {
    await payIn(app, { to: loan, amount, reference, from_iban })
  }
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-30' })
  await until('2027-03-01')
  const note = (await billsOf(app, borrower)).at(-1)!
  expect(note).toMatchObject({ kind: 'CREDIT_NOTE', to_pay_amount: -100 })
  return note
}

async function textsOf(app: TestApp, borrower: ReadyBorrower, note: Bill) {
  await app.drain()
  const [mail] = await mailsTo(app, borrower, new RegExp(note.invoice_number!))
  const pdf = await fetch(note.document_url!)
  const { text } = await readPdf(Buffer.from(await pdf.arrayBuffer()))
  return { mail: plain(mail!.text), paper: plain(text) }
}

story('refunds to two accounts are both named, and no open bill is', async tale => {
  const borrower = await readyBorrower(tale.app, 'SCT', 'FRA')
  const note = await credited(tale, borrower, [
    [140, ACCOUNTS[0]],
    [60, ACCOUNTS[1]],
  ])
  const { mail, paper } = await textsOf(tale.app, borrower, note)
  expect(mail).toContain('Nous remboursons 0,60 €')
  expect(mail).toContain('Nous remboursons 0,40 €')
  for (const text of [mail, paper]) expect(text).not.toContain('ouvertes')
})

story('money from an unknown account is kept for the next bill', async tale => {
  const borrower = await readyBorrower(tale.app, 'SCT', 'FRA')
  const note = await credited(tale, borrower, [[200, null]])
  const { mail, paper } = await textsOf(tale.app, borrower, note)
  expect(mail).toContain('1,00 € restent à votre crédit')
  expect(paper).toContain('À déduire de la prochaine facture')
  for (const text of [mail, paper]) expect(text).not.toContain('ouvertes')
})

story('what was never paid is no longer owed', async tale => {
  const borrower = await readyBorrower(tale.app, 'SCT', 'FRA')
  const note = await credited(tale, borrower, [[50, ACCOUNTS[0]]])
  const { mail, paper } = await textsOf(tale.app, borrower, note)
  expect(mail).toContain('1,00 € avaient été facturés sans être payés')
  for (const text of [mail, paper]) expect(text).not.toContain('ouvertes')
})
