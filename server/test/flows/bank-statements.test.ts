/** Statements are stored once, refused whole if they do not tie, and compared with the books. */
import { beforeAll, expect, test } from 'vitest'
import { advanceClock } from '../../src/back-office/business-days/business-day.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { clockTarget } from '../../src/sandbox/clock-target.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { createOperatorSession, type Person, signIn } from '../support/console.ts'
import { lend, payIn, receiveNews, returnDebit } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

let app: TestApp
let ana: Person
beforeAll(async () => {
  app = await testApp({ on: '2027-01-11', work: false })
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'admin' })
  ana = await signIn(app, 'ana@lender.example')
  await advance('2027-01-12')
})

async function advance(to: string): Promise<void> {
  await advanceClock(app.context, now => clockTarget(now, { to: `${to}T09:00:00+01:00` }))
}

async function accounts() {
  const { data } = await ana.admin('listBankAccounts')
  const of = (role: 'COLLECTION' | 'FUNDING') => data.find(one => one.roles.includes(role))!
  return { collection: of('COLLECTION'), funding: of('FUNDING') }
}

async function daysOf({ id }: { id: string }) {
  const { data } = await ana.admin('listTieOuts', { params: { bank_account_id: id } })
  return data
}

async function statementsOf({ id }: { id: string }) {
  const { data } = await ana.admin('listBankStatements', { params: { bank_account_id: id } })
  return data
}

const KINDS = ['statement_refused', 'statement_conflict', 'statement_gap', 'tie_out_difference']
async function alerts() {
  const { data } = await ana.admin('listAlerts')
  return data.filter(one => KINDS.includes(one.kind) || one.kind === 'bank_silent')
}
const kinds = async () => (await alerts()).map(one => one.kind).sort()

async function trial(account: string): Promise<number> {
  const report = await ana.admin('getReport', { params: { name: 'trial-balance' } })
  const row = report.rows.find(one => one.account === account)!
  return row.balance as number
}

test('each banking day ties out on each account, whatever moved', async () => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 80_000, days: 3 })
  await payIn(app, { to: loan, amount: 10_000 })
  await app.client.createSandboxBankEntry({
    account: 'FUNDING',
    kind: 'CHARGE',
    direction: 'OUT',
    amount: 990,
    text: 'Account fee',
  })
  const own = { account: 'COLLECTION', amount: 600 } as const
  await app.client.createSandboxBankEntry({ ...own, kind: 'BANK_INTEREST', direction: 'IN' })
  await app.client.createSandboxBankEntry({ ...own, kind: 'TRANSFER_OWN', direction: 'OUT' })
  await advance('2027-01-19')
  const { collection, funding } = await accounts()
  expect([collection.tie_out, funding.tie_out]).toEqual(['TIED', 'TIED'])
  expect(funding.bank_balance).toBe(funding.ledger_balance)
  expect(funding.ledger_balance).toBe(100_000_000_000 - 80_000 - 990 + 600)
  // The debit of the rest settles on the third day.
  expect(collection.ledger_balance).toBe(80_000)
  for (const account of [collection, funding]) {
    const days = await daysOf(account)
    expect(days.map(one => one.day.slice(0, 10))).toEqual([
      '2027-01-18',
      '2027-01-15',
      '2027-01-14',
      '2027-01-13',
      '2027-01-12',
      '2027-01-11',
      // The banking day before the sandbox began.
      '2027-01-08',
    ])
    expect(days.every(one => one.result === 'TIED')).toBe(true)
  }
  expect(await trial('bank_charges')).toBe(990)
  expect(await trial('bank_interest')).toBe(600)
  expect(await trial('cash_in_transit')).toBe(0)
  const [report] = [await ana.admin('getReport', { params: { name: 'trial-balance' } })]
  expect(report.reconciled.every(one => one.reported === one.found)).toBe(true)
  expect(await alerts()).toEqual([])
})

test('a settled debit that is returned later is on the statement of its day', async () => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 30_000, days: 2 })
  await advance('2027-01-22')
  const [debit] = (await app.client.listPayments({ loan_id: [loan.id] })).data.filter(
    one => one.payment_type === 'REPAYMENT_NOMINAL',
  )
  await returnDebit(app, debit!)
  await advance('2027-01-26')
  const { collection } = await accounts()
  const days = await daysOf(collection)
  expect(days.every(one => one.result === 'TIED')).toBe(true)
  const [returned] = days.filter(one => one.day.startsWith('2027-01-22'))
  const { entries } = await ana.admin('getTieOut', { params: { tie_out_id: returned!.id } })
  expect(entries.data).toContainEqual(expect.objectContaining({ moved: -30_000 }))
})

test('what the bank does not explain waits in suspense, and the day ties', async () => {
  const other = { kind: 'OTHER', direction: 'IN', amount: 7_777, text: 'Correction' } as const
  await app.client.createSandboxBankEntry({ account: 'COLLECTION', ...other })
  await advance('2027-01-27')
  const { data } = await ana.admin('listSuspense', { query: { status: 'OPEN' } })
  expect(data).toContainEqual(
    expect.objectContaining({ cash: 7_777, reason: 'the bank does not say what it is' }),
  )
  expect((await accounts()).collection.tie_out).toBe('TIED')
})

test('missing and wrong statements are overdue until they come', async () => {
  await app.client.setSandboxStatementFault({ account: 'FUNDING', fault: 'WITHHELD' })
  await advance('2027-01-28')
  await app.client.setSandboxStatementFault({ account: 'COLLECTION', fault: 'WRONG_BALANCE' })
  await advance('2027-01-29')
  // Nothing follows the missing ones yet. The wrong one is refused whole.
  expect(await kinds()).toEqual(['statement_refused'])
  const [refused] = await statementsOf((await accounts()).collection)
  expect(refused).toMatchObject({ status: 'REFUSED' })
  expect(refused!.refused_for).toMatch(/not its closing balance/)
  await advance('2027-02-04')
  expect(await kinds()).toEqual([
    'bank_silent',
    'bank_silent',
    ...Array<string>(5).fill('statement_refused'),
  ])
  for (const account of ['COLLECTION', 'FUNDING'] as const) {
    await app.client.setSandboxStatementFault({ account, fault: 'NONE' })
  }
  await app.drain()
  expect(await kinds()).toEqual([])
  const { collection, funding } = await accounts()
  expect([collection.tie_out, funding.tie_out]).toEqual(['TIED', 'TIED'])
  expect(funding.bank_balance_on).toContain('2027-02-03')
})

test('cash that no statement shows is a difference, and the day names it', async () => {
  const payment_id = crypto.randomUUID()
  const news = { kind: 'RETURNED', payment_id, amount: 4_321n, reason_code: 'AM04' } as const
  await receiveNews(app, { ...news, value_on: day('2027-02-04') })
  await advance('2027-02-05')
  const { funding } = await accounts()
  expect(funding.tie_out).toBe('DIFFERENT')
  const [last] = await daysOf(funding)
  expect(last).toMatchObject({ result: 'DIFFERENT', difference: 4_321 })
  const details = await ana.admin('getTieOut', { params: { tie_out_id: last!.id } })
  expect(details.in_books_only).toMatchObject({ total: 1, data: [{ moved: 4_321 }] })
  expect(details.at_bank_only.total).toBe(0)
  const [alert] = await alerts()
  expect(alert).toMatchObject({ kind: 'tie_out_difference', subject_id: funding.id })
  expect(alert!.detail).toContain('43.21')
  // Once the same cash has left again, the last day ties. The earlier day stays as it was.
  const out = { ...news, kind: 'SETTLED' as const, payment_id: crypto.randomUUID() }
  await receiveNews(app, { ...out, value_on: day('2027-02-05') })
  await advance('2027-02-06')
  const days = await daysOf(funding)
  expect(days.slice(0, 2).map(one => one.result)).toEqual(['TIED', 'DIFFERENT'])
  expect(await kinds()).toEqual([])
})
