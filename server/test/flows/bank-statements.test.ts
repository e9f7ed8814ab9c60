/** Statements are stored once, refused whole if they do not tie, and compared with the books. */
import { beforeAll, expect, test } from 'vitest'
import { advanceClock } from '../../src/back-office/business-days/business-day.ts'
import type { BankEntry, BankStatement } from '../../src/integrations/ports/bank.ts'
import { bankInbox } from '../../src/money/payments/index.ts'
import { type Day, day } from '../../src/platform/kit/dates.ts'
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

test('a missing statement is a gap until it comes', async () => {
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

const IBAN = 'DE89370400440532013000'

/** A statement of an account that the service has not seen before, with `count` entries of 1.00. */
function statement(sequence: number, count: number, more: Partial<BankStatement> = {}) {
  const opening = sequence === 1 ? 5_000n : 5_000n + BigInt(count) * 100n * BigInt(sequence - 1)
  const on = day(`2027-02-0${sequence}`)
  return {
    account_iban: IBAN,
    statement_id: `S${sequence}`,
    sequence,
    from_on: on,
    to_on: on,
    opening,
    closing: opening + BigInt(count) * 100n,
    raw: {},
    ...more,
  }
}

async function* entriesOf(sequence: number, count: number, on: Day): AsyncGenerator<BankEntry[]> {
  for (let place = 1; place <= count; place += 500) {
    yield Array.from({ length: Math.min(500, count - place + 1) }, (_, index) => ({
      place: place + index,
      bank_reference: `${IBAN} S${sequence} ${place + index}`,
      kind: 'BANK_INTEREST',
      payment_id: null,
      amount: 100n,
      direction: 'IN',
      booked_on: on,
      value_on: on,
      reason_code: null,
      raw: {},
    }))
  }
}

async function deliver(of: BankStatement, count: number): Promise<void> {
  const entries = entriesOf(of.sequence, count, of.to_on)
  await bankInbox(app.context.database).statement(of, entries)
  await app.drain()
}

const foreign = async () =>
  (await ana.admin('listBankAccounts')).data.find(one => one.iban === IBAN)!

async function newsCount(): Promise<number> {
  const { rows } = await app.context.database.pool.query(
    'select count(*)::int as n from bank_news where bank_reference like $1',
    [`${IBAN}%`],
  )
  return rows[0].n
}

test('a statement that does not tie is refused whole, with its entries', async () => {
  const right = statement(1, 600)
  await deliver({ ...right, closing: right.closing - 1n }, 600)
  expect(await newsCount()).toBe(0)
  expect((await foreign()).ledger_balance).toBe(0)
  // The same wrong statement again changes nothing; the right one under its name is booked.
  await deliver({ ...right, closing: right.closing - 1n }, 600)
  expect(await statementsOf(await foreign())).toHaveLength(1)
  await deliver(right, 600)
  expect(await newsCount()).toBe(600)
  expect(await statementsOf(await foreign())).toMatchObject([
    { status: 'BOOKED', entries: 600 },
    { status: 'REFUSED' },
  ])
})

test('a statement is booked once; other content under its name is an alert', async () => {
  const right = statement(1, 600)
  await deliver(right, 600)
  expect(await newsCount()).toBe(600)
  expect((await foreign()).ledger_balance).toBe(60_000)
  expect(await kinds()).not.toContain('statement_conflict')
  await deliver({ ...right, opening: 4_000n, closing: right.closing - 1_000n }, 600)
  expect(await kinds()).toContain('statement_conflict')
  expect(await statementsOf(await foreign())).toHaveLength(2)
})

test('an opening balance is entered once, and ties the days after it', async () => {
  const before = await foreign()
  expect(before).toMatchObject({ tie_out: 'DIFFERENT', bank_balance: 65_000 })
  const params = { bank_account_id: before.id }
  const late = { amount: 5_000, date: '2027-02-01' }
  await expect(ana.admin('setOpeningBalance', { params, body: late })).rejects.toThrow(
    /A statement begins on 2027-02-01/,
  )
  const body = { amount: 5_000, date: '2027-01-31' }
  await ana.admin('setOpeningBalance', { params, body })
  await app.drain()
  const after = await foreign()
  expect(after).toMatchObject({ tie_out: 'TIED', ledger_balance: 65_000, opening_balance: 5_000 })
  await expect(ana.admin('setOpeningBalance', { params, body })).rejects.toThrow(
    /has an opening balance already/,
  )
  expect(await trial('opening_balance')).toBe(5_000)
})

test('statements out of order leave a gap that closes, and must continue each other', async () => {
  await deliver(statement(3, 600), 600)
  expect(await kinds()).toContain('statement_gap')
  const second = statement(2, 600)
  const wrong = { ...second, opening: second.opening + 1n, closing: second.closing + 1n }
  await deliver(wrong, 600)
  expect((await statementsOf(await foreign()))[0]).toMatchObject({
    status: 'REFUSED',
    refused_for: expect.stringContaining('S1 closed with'),
  })
  await deliver(second, 600)
  expect(await kinds()).not.toContain('statement_gap')
  expect(await foreign()).toMatchObject({ tie_out: 'TIED', bank_balance: 185_000 })
  expect((await app.verify()).findings).toEqual([])
})
