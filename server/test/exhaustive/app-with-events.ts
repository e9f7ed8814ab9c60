/** Completes a full app, so that the events of all resources occur in it. */
import { prohibitBorrower } from '../../src/companies/borrowers/index.ts'
import { approveWriteOff, deleteLoan, proposeWriteOff } from '../../src/credit/loans/index.ts'
import {
  resumeInterest,
  stopInterest as stopInterestOf,
} from '../../src/credit/recollection/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { fullApp } from '../commands/full-app.ts'
import type { TestApp } from '../support/app.ts'
import { activeCard } from '../support/cards.ts'
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import { billsOf, type Loan, lend, payIn, returnDebit } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'

export async function appWithEvents(): Promise<TestApp> {
  const app = await fullApp()
  const borrower = await readyBorrower(app, 'SCT')
  await endBorrowers(app)
  await onboard(app)
  await chooseTransfers(app)
  await failPayouts(app, borrower)
  await editInvoices(app, borrower)
  await decide(app)
  const { id: card_id } = await activeCard(app)
  await app.client.updateCardStatus({ card_id, status: 'canceled' })
  await repayTooMuch(app)
  await recollect(app)
  await replaceBill(app)
  await giveUp(app)
  await app.drain()
  return app
}

/** Deactivates a borrower; prohibits another after canceling one loan and deleting a second. */
async function endBorrowers(app: TestApp): Promise<void> {
  const { client } = app
  const leaving = await client.createBorrower(await client.generateSandboxBusiness({}))
  await client.deactivateBorrower({ borrower_id: leaving.id })
  const barred = await readyBorrower(app)
  const held = await requestLoan(app, barred, { amount: 1_000, auto_validate: false })
  const by = await createOperatorId(app)
  const dropped = await requestLoan(app, barred, { amount: 1_000, auto_validate: false })
  await client.cancelLoan({ loan_id: dropped.id })
  await asOperator(app, tx => deleteLoan(tx.as(by), held.id, 'Asked for by mistake'))
  await asOperator(app, tx => prohibitBorrower(tx.as(by), barred.id, 'BUSINESS_AML_EXTREME_RISK'))
}

/** Opens two onboarding sessions for a company, and completes the newer one. */
async function onboard({ client }: TestApp): Promise<void> {
  const made = await client.generateSandboxBusiness({})
  const business = { identifier: made.identifier, identifier_type: made.identifier_type! }
  for (const preferred_language of ['fr', 'en'] as const) {
    await client.createOnboarding({ preferred_language, business })
  }
  const { now } = await client.getSandboxClock()
  await client.createBorrower({ ...made, signed_at: now })
}

/** Has a borrower with a credit line repay by transfer instead of direct debit. */
async function chooseTransfers(app: TestApp): Promise<void> {
  const { id: borrower_id } = await readyBorrower(app)
  await app.client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
  })
}

async function failPayouts(app: TestApp, borrower: ReadyBorrower): Promise<void> {
  for (const scenario of ['FAIL', 'SUCCESS_ONE_DAY_LATER'] as const) {
    const { iban } = await app.client.generateSandboxIban({ scenario })
    await lend(app, { ...borrower, account_number: iban }, { amount: 1_500 })
  }
}

/** Leaves one invoice incomplete, deletes one, and has one fully financed and repaid. */
async function editInvoices(app: TestApp, borrower: ReadyBorrower): Promise<void> {
  const { client } = app
  const now = await today(app)
  const invoice = async () => ({
    ...(await validInvoice({ seller: { identifier: borrower.identifier } })),
    issued_at: plusDays(now, -5),
    due_at: plusDays(now, 40),
  })
  await client.createInvoice({ ...(await invoice()), invoice_number: null })
  const { id } = await client.createInvoice(await invoice())
  await client.deleteInvoice({ invoice_id: id })
  const financed = await client.createInvoice(await invoice())
  const loan = await client.createLoan(
    invoiceLoan(borrower, now, {
      amount: 120_000,
      to_repay_at: plusDays(now, 20),
      wait_for_validation: false,
      invoice_ids: [financed.id],
    }),
  )
  await app.drain()
  await payIn(app, { to: loan, amount: 120_000 })
}

async function decide({ agent, client }: TestApp): Promise<void> {
  const input = {
    title: 'Another key',
    rationale: 'To have one.',
    operations: [{ method: 'POST' as const, path: '/keys', body: { name: 'x', actor: 'agent' } }],
  }
  const [no, gone] = [await agent.proposeDecision(input), await agent.proposeDecision(input)]
  await client.rejectDecision({ decision_id: no.id })
  await agent.withdrawDecision({ decision_id: gone.id })
}

/** Receives an overpayment from an unknown account, to which the surplus cannot be refunded. */
async function repayTooMuch(app: TestApp): Promise<void> {
  const loan = await lend(app, await readyBorrower(app, 'SCT'), { amount: 2_000 })
  await payIn(app, { to: loan, amount: 2_500, from_iban: null })
}

/** Breaks a partly paid plan, returns a debit of another, stops interest and closes a case. */
async function recollect(app: TestApp): Promise<void> {
  const { client } = app
  const start_date = plusDays(await today(app), 9)
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date }
  const paying = await readyBorrower(app, 'SCT')
  const first = await lend(app, paying, { amount: 8_000, days: 40 })
  const opened = await openCase(app, paying, { loan_ids: [first.id] })
  const { plan } = await planFor(app, opened.id, { ...terms, repayment_method: 'SCT' })
  const [installment] = await installmentsOf(app, plan.id)
  const from_iban = paying.account_number
  await transfer(app, { reference: installment!.reference, amount: 1_000, from_iban })
  const debited = await readyBorrower(app)
  const second = await lend(app, debited, { amount: 9_000, days: 40 })
  const other = await openCase(app, debited, { loan_ids: [second.id] })
  const { plan: collected } = await planFor(app, other.id, terms)
  await stopInterest(app, other.id)
  const third = await lend(app, paying, { amount: 4_000, days: 40 })
  const settled = await openCase(app, paying, { loan_ids: [third.id] })
  await planFor(app, settled.id, { ...terms, repayment_method: 'SCT' })
  await client.closeRecollectionCase({ recollection_case_id: settled.id, reason: 'Agreed' })
  await client.advanceSandboxClock({ to: plusDays(start_date, 4) })
  const [due] = await installmentsOf(app, collected.id)
  await returnDebit(app, { id: due!.attempts[0]!.payment_id })
  await client.advanceSandboxClock({ to: plusDays(start_date, 12) })
}

/** Receives a repayment valued last month, which makes that month's bill too high. */
async function replaceBill(app: TestApp): Promise<void> {
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  const month = (await today(app)).slice(0, 7)
  const next = plusDays(`${month}-28`, 4).slice(0, 7)
  await client.advanceSandboxClock({ to: `${next}-05` })
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 50_000, value_date: bill!.end_date.slice(0, 10) })
}

async function giveUp(app: TestApp): Promise<void> {
  const loan: Loan = await lend(app, await readyBorrower(app, 'SCT'), { amount: 3_000 })
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const written_off_on = day(await today(app))
  const input = { loan_id: loan.id, written_off_on, reason: 'Insolvent, no assets' }
  const id = await asOperator(app, tx => proposeWriteOff(tx.as(ann), input))
  await asOperator(app, tx => approveWriteOff(tx.as(ben), id))
  await payIn(app, { to: loan, amount: 500 })
}

/** Stops interest, as for insolvency proceedings, and resumes it. */
async function stopInterest(app: TestApp, case_id: string): Promise<void> {
  const by = await createOperatorId(app)
  const on = day(await today(app))
  const stop = { case_id, on, reason: 'Safeguard opened' }
  await asOperator(app, tx => stopInterestOf(tx.as(by), stop))
  await asOperator(app, tx => resumeInterest(tx.as(by), { ...stop, reason: 'Plan adopted' }))
}
