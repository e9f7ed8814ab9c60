/** Figures on the pages match the API and the reports to the cent. */
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { blockBorrowerManually } from '../../server/src/companies/borrowers/index.ts'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { activeCard, spend } from '../../server/test/support/cards.ts'
import { createOperatorSession, type Person, signIn } from '../../server/test/support/console.ts'
import { activateFee, withFee } from '../../server/test/support/fees.ts'
import { declareInvoice, lendOnInvoices } from '../../server/test/support/invoice-loans.ts'
import {
  type Loan,
  lend,
  loanOf,
  payIn,
  paymentsOf,
  refundDebit,
} from '../../server/test/support/money.ts'
import { asOperator, createOperatorId } from '../../server/test/support/operators.ts'
import { asSecondPartner } from '../../server/test/support/partner-terms.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../../server/test/support/story.ts'
import { goTo, inBrowser, openedPages, people } from './browser.ts'

const WHO = 'ana@lender.example'
const open = openedPages()
let app: TestApp
let person: Person
let borrower: ReadyBorrower
let loan: Loan

beforeAll(async () => {
  app = await testApp()
  const other = asSecondPartner(app)
  await createOperatorSession(app, { email: WHO, role: 'reviewer' })
  person = await signIn(app, WHO)
  borrower = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 1_234_567, days: 40 })
  await requestLoan(app, borrower, { amount: 345_678, pay_in: 30, days: 10 })
  await spend(app, await activeCard(app, borrower), 4_321)
  await lend(app, await readyBorrower(app, 'SCT'), { amount: 45_678, days: 3 })
  await lend(other, await readyBorrower(other, 'SCT'), { amount: 765_432, days: 30 })
  const blocked = await readyBorrower(app, 'SCT')
  const by = await createOperatorId(app)
  await asOperator(app, tx =>
    blockBorrowerManually(tx.as(by), blocked.id, 'PROACTIVE_RECOLLECTION'),
  )
  const reviewed = await readyBorrower(other, 'SCT')
  await other.client.setSandboxKyb({ borrower_id: reviewed.id, status: 'REVIEWING' })
  await payIn(app, { to: loan, amount: 100_000 })
  await app.client.advanceSandboxClock({ days: 14 })
})

const signedIn = people(
  () => open(),
  () => app.base_url,
)

const euros = (cents: number) =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).format(cents / 100)

async function figure(page: Page, name: string): Promise<string> {
  const named = `xpath=.//*[self::dt or self::p][normalize-space()="${name}"]`
  const label = page.getByRole('main').locator(named).first()
  const value = label.locator('xpath=following-sibling::*[1]')
  await expect.poll(() => value.innerText(), { timeout: 30_000 }).toMatch(/[^…]/)
  return value.innerText()
}

async function expectFigures(page: Page, wanted: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(wanted)) {
    expect(`${name}: ${await figure(page, name)}`).toBe(`${name}: ${value}`)
  }
}

type Row = Record<string, string | number | null>
const sumOf = (rows: readonly Row[], name: string) =>
  rows.reduce((sum, row) => sum + Number(row[name]), 0)

/** Sum of the borrowers' available credit, read borrower by borrower. */
async function availableOf(partner: TestApp): Promise<number> {
  let sum = 0
  for await (const { id } of partner.client.each('listBorrowers', {})) {
    const params = { borrower_id: id }
    sum += (await person.admin('getAvailableCredit', { params })).amount
  }
  return sum
}

async function businessOf(worlds: readonly TestApp[], query?: { partner_id: string }) {
  const { rows } = await person.admin('getReport', { params: { name: 'aging' }, query })
  const books = await person.admin('getReport', { params: { name: 'trial-balance' }, query })
  // Cleared card spending counts as drawn before it becomes a loan.
  const spent = books.rows.filter(row => row.account === 'card_receivable')
  const loans = await Promise.all(worlds.map(w => w.client.listLoans({ status: ['TO_REPAY'] })))
  const available = await Promise.all(worlds.map(availableOf))
  const late = rows.filter(row => row.bucket !== 'current')
  return {
    Outstanding: euros(sumOf(rows, 'principal') + sumOf(spent, 'balance')),
    Late: euros(sumOf(late, 'principal')),
    'Available credit': euros(available.reduce((sum, one) => sum + one, 0)),
    'Loans running': String(loans.flatMap(({ data }) => data).length),
  }
}

inBrowser('Today and Overview', async () => {
  const { partner_id, second } = app
  const other = { ...app, client: second }
  const today = await signedIn(WHO, '/desk/today')
  const wanted = await businessOf([app, other])
  expect(wanted.Late).not.toBe(euros(0))
  const { rows } = await person.admin('getReport', { params: { name: 'trial-balance' } })
  const cash = rows.find(row => row.account === 'bank_cash')!
  await expectFigures(today, { ...wanted, 'Funding account': euros(Number(cash.balance)) })
  await goTo(today, `/p/${partner_id}/overview`)
  await expectFigures(today, await businessOf([app], { partner_id }))
})

inBrowser('a borrower', async () => {
  const page = await signedIn(WHO, `/p/${app.partner_id}/borrower/${borrower.id}?tab=limit`)
  const { data } = await app.client.listCreditLines({ borrower: [borrower.id] })
  const line = data[0]!
  const params = { borrower_id: borrower.id }
  const credit = await person.admin('getAvailableCredit', { params })
  const products = await app.client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
  const drawn = products.data[0]!.amount_outstanding!
  await expectFigures(page, {
    Limit: euros(line.pool_amount!),
    'Available credit': euros(credit.amount),
    'Undrawn limit': euros(line.balance_available!),
    Outstanding: euros(drawn),
    Reserved: euros(line.balance_pending + line.balance_pending_validation),
  })
  // A credit line splits into drawn, reserved and available.
  const reserved = line.balance_pending + line.balance_pending_validation
  expect(credit.outstanding + reserved + line.balance_available!).toBe(line.pool_amount)
})

inBrowser('a loan', async () => {
  const page = await signedIn(WHO, `/p/${app.partner_id}/loan/${loan.id}`)
  const now = await loanOf(app, loan.id)
  const payoff = await app.client.getLoanPayoff({ loan_id: loan.id })
  await expectFigures(page, {
    Amount: euros(now.amount),
    'Principal repaid': euros(now.repaid_nominal_amount),
    'Interest paid': euros(now.paid_interests_amount),
    'Estimated interest at due date': euros(now.fees_estimated!),
    'Principal owed today': euros(payoff.principal),
    'Interest owed today': euros(payoff.interest),
    'Payoff amount today': euros(payoff.total),
  })
  expect(payoff.principal).toBe(now.amount - now.repaid_nominal_amount)
})

inBrowser('the partners', async () => {
  const page = await signedIn(WHO, '/desk/partners')
  const lines = []
  for await (const line of app.client.each('listCreditLines', {})) lines.push(line)
  const used = await Promise.all(
    lines.map(async ({ default_borrower, ...line }) => {
      const params = { borrower_id: default_borrower!.id! }
      const { outstanding } = await person.admin('getAvailableCredit', { params })
      return outstanding + line.balance_pending + line.balance_pending_validation
    }),
  )
  const lent = euros(used.reduce((sum, one) => sum + one, 0))
  const row = page.getByRole('row').filter({ hasText: 'Demo Payments' })
  await row.getByText(lent, { exact: true }).waitFor()
})

inBrowser('dialogs show exactly what the loan owes, including reclaimed refunds', async () => {
  const payer = await readyBorrower(app)
  // An invoice loan's interest is due with its principal, so the bank may return money that paid
  // both.
  const { id: invoice_id } = await declareInvoice(app, payer, 'Invoice')
  const twice = await loanOf(app, (await lendOnInvoices(app, payer, invoice_id)).id)
  await app.client.advanceSandboxClock({ days: 65 })
  await payIn(app, { to: twice, amount: 60_000 })
  await app.client.advanceSandboxClock({ days: 14 })
  const payments = await paymentsOf(app, twice)
  await refundDebit(app, payments.find(one => one.payment_method === 'DIRECT_DEBIT')!)
  const { principal } = await app.client.getLoanPayoff({ loan_id: twice.id })
  expect(principal).toBeGreaterThan(50_000)
  const page = await signedIn(WHO, `/p/${app.partner_id}/loan/${twice.id}`)
  await page.getByRole('button', { name: 'Write off' }).click()
  const dialog = page.getByRole('dialog', { name: 'Write off' })
  await dialog.getByText(`${euros(principal)} of principal`).waitFor()
  await page.keyboard.press('Escape')
  await goTo(page, `/p/${app.partner_id}/borrower/${payer.id}`)
  for (const name of ['Block', 'Prohibit']) {
    await page.getByRole('button', { name, exact: true }).click()
    const decision = page.getByRole('dialog', { name })
    await decision.getByText(`It owes 1 loan of ${euros(principal)} in all`).waitFor()
    await page.keyboard.press('Escape')
    await decision.waitFor({ state: 'detached' })
  }
})

inBrowser('monthly fees on the statement', async () => {
  await withFee(app, 1_290)
  const payer = await readyBorrower(app)
  await activateFee(app, payer.id)
  await app.client.advanceSandboxClock({ days: 35 })
  const to = await today(app)
  const { fees } = await app.client.getBorrowerStatement({
    borrower_id: payer.id,
    from: plusDays(to, -90),
    to,
  })
  expect(fees.length).toBeGreaterThan(0)
  const page = await signedIn(WHO, `/p/${app.partner_id}/borrower/${payer.id}?tab=statement`)
  const table = page.getByRole('table', { name: 'Monthly fees' })
  await table.waitFor()
  const rows = await table.locator('tbody').getByRole('row').all()
  const shown = await Promise.all(rows.map(row => row.getByRole('cell').allInnerTexts()))
  expect(
    shown.map(([month, , amount, open, reference]) => ({ month, amount, open, reference })),
  ).toEqual(
    fees.map(fee => ({
      month: fee.month.slice(0, 7),
      amount: euros(fee.amount),
      open: euros(fee.open_amount),
      reference: fee.reference,
    })),
  )
})
