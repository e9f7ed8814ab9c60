/** Contractual plans collect exactly what the amended loan agreements state. */
import { expect } from 'vitest'
import { plain, readPdf } from '../documents/samples.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { lend, loanOf } from '../support/money.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

const documentOf = (url: string | null) => url!.match(/document\/([^?]+)/)![1]

async function readAgreement(app: TestApp, loan_id: string): Promise<string> {
  const pdf = await fetch((await loanOf(app, loan_id)).contract_url!)
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  return plain((await readPdf(Buffer.from(await pdf.arrayBuffer()))).text)
}

story("a plan's agreements add up to the plan, including its fees", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const other = await lend(app, borrower, { amount: 10_000, days: 30 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id, other.id] })
  const before = await loanOf(app, loan.id)
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date: '2027-01-20' }
  const fees = { recollection_fees: 901 }
  const { plan } = await planFor(app, case_id, { ...terms, ...fees }, { is_contractual: true })
  expect(plan.is_contractual).toBe(true)
  const after = await loanOf(app, loan.id)
  expect(documentOf(after.contract_url)).not.toBe(documentOf(before.contract_url))
  // The loans are already approved, so the new agreements are mailed as amendments.
  const { data: mails } = await app.client.listSandboxMailbox({})
  const amendments = mails.filter(mail => mail.subject.startsWith('Avenant à votre contrat'))
  expect(amendments.map(mail => mail.attachments.length)).toEqual([1, 1])
  for (const { repayment_to_references } of [loan, other]) {
    const about = (words: string) =>
      mails.filter(({ subject }) => subject === `${words} ${repayment_to_references[0]}`)
    expect(about('Avenant à votre contrat de prêt').length).toBe(1)
    expect(about('Avenant à votre contrat de prêt')[0]!.text).toContain('2 échéances')
    expect(mails.filter(({ subject }) => /est approuvé$/.test(subject)).length).toBe(2)
  }
  const texts = [await readAgreement(app, loan.id), await readAgreement(app, other.id)]
  /** Sums the cents that follow a label in both agreements. */
  const result = (label: string) =>
    texts
      .map(text => text.match(new RegExp(`${label} ([\\d ,]+) €`))![1]!)
      .reduce((sum, written) => sum + Number(written.replace(/\D/g, '')), 0)
  const [first, second] = plan.installments
  expect(result('1 20 janvier 2027')).toBe(first!.amount)
  expect(result('2 27 janvier 2027')).toBe(second!.amount)
  expect(result('1 20 janvier 2027 [\\d ,]+ € 2 27 janvier 2027 [\\d ,]+ € Total')).toBe(
    first!.amount + second!.amount,
  )
  expect(result('dont frais de recouvrement')).toBe(901)
  await until('2027-01-29')
  const { status } = await app.client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(status).toBe('COMPLETED')
})
