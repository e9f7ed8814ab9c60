/** Mails mention accruing interest only to borrowers who are charged for it. */
import { expect } from 'vitest'
import { stopInterest } from '../../src/credit/recollection/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { calendar } from '../support/calendar.ts'
import { debitOf, lend, payIn, refundDebit } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { lateInPlan, openCase } from '../support/recollection.ts'
import { mailsTo, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

const SECOND_PAYER = 'FR7630006000011234567890189'
/** Phrases that say that interest accrues. A stated amount of interest does not match. */
const RUNS = /intérêts courent|portent intérêt/

const textsOf = (mails: readonly { text: string }[]) =>
  mails.map(mail => mail.text.replace(/\s+/g, ' '))

story('a borrower whose partner pays the interest', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { fees_mode: 'TRANSFERRED' })
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const later = await lend(app, borrower, { amount: 50_000, days: 30 })
  await app.client.changeLoan({ loan_id: later.id, to_repay_at: '2027-02-15' })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 100_000, from_iban: SECOND_PAYER })
  await until('2027-02-08')
  await refundDebit(app, await debitOf(app, loan))
  await until('2027-02-09')
  const mails = textsOf(await mailsTo(app, borrower, /versé|reportée|de nouveau dû|en retard/))
  expect(mails).toHaveLength(5)
  for (const text of mails) expect(text).not.toMatch(RUNS)
})

story('a loan whose interest the law has stopped', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT', 'FRA')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const late = async () => textsOf(await mailsTo(app, borrower, /en retard/))
  await until('2027-01-22')
  expect(await late()).toEqual([expect.stringMatching(RUNS)])
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const by = await createOperatorId(app)
  const input = { case_id, on: day('2027-01-22'), reason: 'Safeguard opened' }
  await asOperator(app, tx => stopInterest(tx.as(by), input))
  await until('2027-01-26')
  const [, second] = await late()
  expect(second).toContain('Intérêts à ce jour : 5,50 €')
  expect(second).not.toMatch(RUNS)
})

for (const [state, runs] of [
  ['runs', true],
  ['was stopped', false],
] as const) {
  story(`a broken plan whose interest ${state}`, async tale => {
    const { app, until } = tale
    const input = { number_of_installment: 1, repayment_method: 'SCT' } as const
    const { borrower, case_id } = await lateInPlan(tale, [90_000], input)
    const by = await createOperatorId(app)
    const law = { case_id, on: day('2027-01-19'), reason: 'Safeguard opened' }
    if (!runs) await asOperator(app, tx => stopInterest(tx.as(by), law))
    await until('2027-02-02')
    const ended = textsOf(await mailsTo(app, borrower, /a pris fin/))
    expect(ended.map(text => RUNS.test(text))).toEqual([runs])
  })
}
