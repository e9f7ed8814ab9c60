/** Each statement is judged once and by all others, in whatever order and form they come. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { advanceClock } from '../../src/back-office/business-days/business-day.ts'
import { generateVirtualIban } from '../../src/integrations/adapters/sandbox/ibans.ts'
import type { BankEntry, BankNews, BankStatement } from '../../src/integrations/ports/bank.ts'
import { bookNext } from '../../src/money/payments/bank-statements/book-statement.ts'
import { bankInbox } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { type Day, day } from '../../src/platform/kit/dates.ts'
import { clockTarget } from '../../src/sandbox/clock-target.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { createOperatorSession, type Person, signIn } from '../support/console.ts'

let app: TestApp
let ana: Person
/** Each test has an account of its own, which the lender used before. */
let iban = ''
let count = 0
beforeAll(async () => {
  app = await testApp({ on: '2027-01-11', work: false })
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'admin' })
  ana = await signIn(app, 'ana@lender.example')
  await advance('2027-02-20')
})
beforeEach(() => {
  iban = generateVirtualIban(1_000 + ++count)
  own(iban)
})

async function advance(to: string): Promise<void> {
  await advanceClock(app.context, now => clockTarget(now, { to: `${to}T09:00:00+01:00` }))
}

/** Makes the account one of the lender's, as if a former version of it had named it. */
function own(...funding_ibans: string[]): void {
  const { database } = app.context
  const { lender } = database.settings
  const former_lenders = funding_ibans.map(funding_iban => ({ ...lender, funding_iban }))
  Object.assign(database, { settings: { ...database.settings, former_lenders } })
}

const account = async () => (await ana.admin('listBankAccounts')).data.find(a => a.iban === iban)!

async function statements() {
  const { id } = await account()
  return (await ana.admin('listBankStatements', { params: { bank_account_id: id } })).data
}

async function states(): Promise<Record<string, string>> {
  const all = (await statements()).reverse()
  return Object.fromEntries(all.map(one => [one.statement_id, one.status]))
}

/** The open alerts of a kind that are about this account or its statements. */
async function alertsOf(kind: string) {
  const subjects = [(await account()).id, ...(await statements()).map(one => one.id)]
  const { data } = await ana.admin('listAlerts')
  return data.filter(one => one.kind === kind && subjects.includes(one.subject_id))
}

/** A statement of one day, which opens with 50.00 and has entries of 1.00 in. */
interface Sent {
  readonly name: string
  readonly sequence: number
  readonly on: Day
  readonly opening?: bigint
  readonly entries?: number
  readonly more?: Partial<BankStatement>
  readonly entry?: (place: number) => Partial<BankEntry>
}

async function send({ name, sequence, on, opening = 5_000n, entries = 1, more, entry }: Sent) {
  const all = Array.from({ length: entries }, (_, index): BankEntry => {
    const place = index + 1
    return {
      place,
      bank_reference: `${iban} ${name} ${place}`,
      kind: 'BANK_INTEREST',
      payment_id: null,
      amount: 100n,
      direction: 'IN',
      booked_on: on,
      value_on: on,
      reason_code: null,
      raw: {},
      ...entry?.(place),
    }
  })
  const moved = all.reduce((sum, { amount }) => sum + amount, 0n)
  const statement = {
    account_iban: iban,
    statement_id: name,
    sequence,
    from_on: on,
    to_on: on,
    opening,
    closing: opening + moved,
    raw: {},
    ...more,
  }
  async function* slices() {
    for (let from = 0; from < all.length; from += 500) yield all.slice(from, from + 500)
  }
  await bankInbox(app.context.database).statement(statement, slices())
}

async function sendNews(news: Partial<BankNews> & Pick<BankNews, 'kind' | 'direction'>) {
  const scope = { partners: '*', actor: null, read_only: true } as const
  const today = await transaction(app.context.database, scope, async tx => tx.today)
  const bank_reference = crypto.randomUUID()
  const rest = { payment_id: null, amount: 100n, booked_on: today, value_on: today }
  const raw = { to_iban: iban, from_iban: null, from_name: null, reference: null }
  const whole = { account_iban: iban, bank_reference, reason_code: null, raw, ...rest, ...news }
  await bankInbox(app.context.database).news([whole])
}

async function rowsOf<T>(statement: string, values: unknown[] = [iban]): Promise<T[]> {
  return (await app.context.database.pool.query(statement, values)).rows
}

async function newsOf(): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(
    `select count(*)::int as n from bank_news n join bank_accounts a on a.id = n.bank_account_id
     where a.iban = $1`,
  )
  return row!.n
}

const third = day('2027-02-03')

test('days that are booked are not booked again under another name', async () => {
  await send({ name: 'A', sequence: 5, on: third })
  await app.drain()
  await send({ name: 'COPY', sequence: 5, on: third })
  await send({ name: 'LATER', sequence: 7, on: third })
  const month = { from_on: day('2027-02-01'), to_on: day('2027-02-28') }
  await send({ name: 'MONTH', sequence: 1, on: third, more: month })
  await app.drain()
  expect(await states()).toEqual({
    A: 'BOOKED',
    COPY: 'REFUSED',
    LATER: 'REFUSED',
    MONTH: 'REFUSED',
  })
  expect(await newsOf()).toBe(1)
  // The very next one may be of the same day, and one refused before it came is judged again.
  await send({ name: 'NEXT', sequence: 6, on: third, opening: 5_100n })
  await app.drain()
  expect(await states()).toMatchObject({ NEXT: 'BOOKED', LATER: 'REFUSED' })
  await send({ name: 'LAST', sequence: 8, on: third, opening: 5_300n })
  await app.drain()
  expect(await states()).toMatchObject({ LAST: 'REFUSED' })
  await send({ name: 'RIGHT', sequence: 7, on: third, opening: 5_200n })
  await app.drain()
  expect(await states()).toMatchObject({ RIGHT: 'BOOKED', LAST: 'BOOKED' })
  expect((await alertsOf('statement_refused')).map(one => one.detail.split(' ')[1]).sort()).toEqual(
    ['MONTH'],
  )
})

test('an interrupted statement is booked to its end, before any other', async () => {
  await send({ name: 'B', sequence: 6, on: day('2027-02-04'), entries: 1200 })
  const [b] = await statements()
  const { database } = app.context
  await transaction(database, { partners: '*', actor: 'bank' }, tx => bookNext(tx, b!.id))
  expect(await newsOf()).toBe(500)
  expect(await states()).toEqual({ B: 'BOOKING' })
  await send({ name: 'A', sequence: 5, on: third, opening: 1n })
  await app.drain()
  expect(await states()).toEqual({ B: 'BOOKED', A: 'REFUSED' })
  expect(await newsOf()).toBe(1200)
})

test('a correction that comes before the wrong statement was judged is booked', async () => {
  await send({ name: 'A', sequence: 5, on: third, more: { closing: 1n } })
  await send({ name: 'A', sequence: 5, on: third })
  await app.drain()
  expect((await statements()).map(one => one.status).sort()).toEqual(['BOOKED', 'REFUSED'])
  expect(await newsOf()).toBe(1)
  expect(await alertsOf('statement_refused')).toEqual([])
  expect(await alertsOf('statement_conflict')).toEqual([])
})

test('other content under a booked name is refused until the bank confirms', async () => {
  const right = { name: 'A', sequence: 5, on: third }
  await send(right)
  await app.drain()
  await send({ ...right, opening: 4_000n })
  await app.drain()
  expect(await alertsOf('statement_conflict')).toHaveLength(1)
  expect((await account()).ledger_balance).toBe(100)
  await send(right)
  await app.drain()
  expect(await alertsOf('statement_conflict')).toEqual([])
  expect(await statements()).toHaveLength(2)
})

test('a missing statement at the turn of the year is a gap', async () => {
  await send({ name: '251', sequence: 251, on: day('2026-12-30') })
  await send({ name: '1', sequence: 1, on: day('2027-01-04'), opening: 5_200n })
  await app.drain()
  expect(await states()).toEqual({ '251': 'BOOKED', '1': 'BOOKED' })
  expect(await alertsOf('statement_gap')).toHaveLength(1)
  await send({ name: '252', sequence: 252, on: day('2026-12-31'), opening: 5_100n })
  await app.drain()
  expect(await states()).toMatchObject({ '252': 'BOOKED' })
  expect(await alertsOf('statement_gap')).toEqual([])
})

test('a reference that two accounts have for their own entries is booked on both', async () => {
  const other = generateVirtualIban(900)
  own(iban, other)
  const entry = (place: number) => ({ bank_reference: `2027-000${place}` })
  await send({ name: 'A', sequence: 5, on: third, entry })
  await app.drain()
  await send({ name: 'A', sequence: 5, on: third, entry, more: { account_iban: other } })
  await app.drain()
  expect(await states()).toEqual({ A: 'BOOKED' })
  iban = other
  expect(await states()).toEqual({ A: 'BOOKED' })
  expect(await newsOf()).toBe(1)
})

test('what no statement can have is refused, and an entry of 0.00 is not', async () => {
  const on = third
  await send({ name: 'PLACE', sequence: 1, on, entries: 2, entry: () => ({ place: 1 }) })
  const same = () => ({ bank_reference: `${iban} same` })
  await send({ name: 'REFERENCE', sequence: 1, on, entries: 2, entry: same })
  await send({ name: 'NEGATIVE', sequence: 1, on, entry: () => ({ amount: -100n }) })
  await send({ name: 'PERIOD', sequence: 1, on, more: { from_on: day('2027-02-05') } })
  const unknown = { kind: 'DIVIDEND' as BankEntry['kind'] }
  await send({ name: 'KIND', sequence: 1, on, entries: 600, entry: n => (n > 500 ? unknown : {}) })
  await app.drain()
  const reasons = (await statements()).reverse().map(one => one.refused_for)
  expect(reasons).toEqual([
    expect.stringContaining('not numbered'),
    expect.stringContaining('on it twice'),
    expect.stringContaining('negative'),
    expect.stringContaining('before its first'),
    expect.stringContaining('unknown kind DIVIDEND'),
  ])
  const zero = (place: number) => (place === 1 ? { amount: 0n } : {})
  await send({ name: 'RIGHT', sequence: 1, on, entries: 2, entry: zero })
  await app.drain()
  expect(await states()).toMatchObject({ RIGHT: 'BOOKED' })
  expect(await newsOf()).toBe(1)
  expect((await app.verify()).findings).toEqual([])
})

test('an account that the settings do not name is not booked, and cannot be lent', async () => {
  own()
  const before = await ana.admin('getToday')
  await send({ name: 'A', sequence: 5, on: third })
  await sendNews({ kind: 'CHARGE', direction: 'IN', amount: 900n })
  await app.drain()
  expect(await states()).toEqual({ A: 'RECEIVED' })
  expect(await account()).toMatchObject({ ledger_balance: 0, unbooked: 1, roles: [] })
  expect(await alertsOf('bank_account_unknown')).toHaveLength(1)
  const body = { amount: 1_000_000, date: '2027-01-31' }
  const { id: bank_account_id } = await account()
  await expect(
    ana.admin('setOpeningBalance', { params: { bank_account_id }, body }),
  ).rejects.toThrow(/not one of the lender/)
  // Once a version of the lender names it, what waits is booked. It is not one to pay from.
  own(iban)
  await advance('2027-02-24')
  expect(await states()).toEqual({ A: 'BOOKED' })
  expect(await account()).toMatchObject({ ledger_balance: 1_000, unbooked: 0 })
  expect(await alertsOf('bank_account_unknown')).toEqual([])
  expect((await ana.admin('getToday')).funding).toBe(before.funding)
})

test('news and statements that cannot be booked keep one job each', async () => {
  const { pool } = app.context.database
  const id = crypto.randomUUID()
  await pool.query(`create function fails() returns trigger language plpgsql as
    $$ begin raise exception 'cannot be booked'; end $$`)
  const booked = `before update of booked_at on bank_news for each row
    when (new.bank_reference = '${id}') execute function fails()`
  await pool.query(`create trigger fails ${booked}`)
  const stepped = `before update of state on bank_statements for each row
    when (new.statement_id = '${id}' and new.state <> 'RECEIVED') execute function fails()`
  await pool.query(`create trigger fails ${stepped}`)
  await sendNews({ kind: 'CHARGE', direction: 'IN', bank_reference: id })
  await send({ name: id, sequence: 5, on: third })
  await app.drain()
  const counts = () =>
    rowsOf<{ name: string; n: number }>(
      `select j.name, count(*)::int as n from jobs j
       where j.name in ('book_bank_news', 'book_bank_statement') group by 1 order by 1`,
      [],
    )
  const once = [
    { name: 'book_bank_news', n: 1 },
    { name: 'book_bank_statement', n: 1 },
  ]
  await advance('2027-02-25')
  expect(await counts()).toEqual(once)
  await advance('2027-03-01')
  expect(await counts()).toEqual(once)
  expect(await alertsOf('statement_refused')).toMatchObject([
    { detail: expect.stringContaining('cannot be booked') },
  ])
  await pool.query('drop function fails cascade')
  await pool.query(`update jobs set held_until = null where name like 'book_bank_%'`)
  await app.drain()
  expect(await states()).toEqual({ [id]: 'BOOKED' })
  expect(await counts()).toEqual([])
  expect(await alertsOf('statement_refused')).toEqual([])
})

test('an opening balance does not count what the books have already', async () => {
  await sendNews({ kind: 'BANK_INTEREST', direction: 'IN', booked_on: day('2027-02-10') })
  await app.drain()
  const params = { bank_account_id: (await account()).id }
  const enter = (date: string) =>
    ana.admin('setOpeningBalance', { params, body: { amount: 5_000, date } })
  await expect(enter('2027-02-10')).rejects.toThrow(/moved cash of the account on 2027-02-10/)
  await enter('2027-02-09')
  expect((await account()).ledger_balance).toBe(5_100)
})

test('what the opening balance contains is not booked after it', async () => {
  await sendNews({ kind: 'BANK_INTEREST', direction: 'IN', booked_on: day('2027-02-10') })
  await app.drain()
  const params = { bank_account_id: (await account()).id }
  const body = { amount: 5_000, date: '2027-02-04' }
  const scope = { partners: '*', actor: null, read_only: true } as const
  const unended = {
    ...body,
    date: await transaction(app.context.database, scope, async tx => tx.today),
  }
  await expect(ana.admin('setOpeningBalance', { params, body: unended })).rejects.toThrow(/ended/)
  await ana.admin('setOpeningBalance', { params, body })
  await send({ name: 'A', sequence: 5, on: third })
  const history = { from_on: day('2027-02-04'), to_on: day('2027-02-05') }
  await send({ name: 'B', sequence: 6, on: day('2027-02-05'), more: history })
  for (const on of ['2027-02-04', '2027-02-05']) {
    await sendNews({ kind: 'TRANSFER_IN', direction: 'IN', amount: 700n, booked_on: day(on) })
  }
  await app.drain()
  expect(await states()).toEqual({ A: 'REFUSED', B: 'REFUSED' })
  const [refused] = await statements()
  expect(refused!.refused_for).toMatch(/opening balance/)
  expect(await account()).toMatchObject({ ledger_balance: 5_000 + 100 + 700, unbooked: 0 })
  await send({ name: 'C', sequence: 7, on: day('2027-02-05') })
  await app.drain()
  expect(await states()).toMatchObject({ C: 'BOOKED' })
  expect((await app.verify()).findings).toEqual([])
})

test('an entry that the books have on a later day is named', async () => {
  const bank_reference = `${iban} A 1`
  await sendNews({ kind: 'CHARGE', direction: 'IN', bank_reference, booked_on: day('2027-02-04') })
  await send({ name: 'A', sequence: 5, on: third, opening: 0n, entry: () => ({ kind: 'CHARGE' }) })
  await app.drain()
  const params = { bank_account_id: (await account()).id }
  const [last] = (await ana.admin('listTieOuts', { params })).data
  expect(last).toMatchObject({ result: 'DIFFERENT', difference: -100 })
  const details = await ana.admin('getTieOut', { params: { tie_out_id: last!.id } })
  expect(details.at_bank_only).toMatchObject({ total: 1, data: [{ moved: 100 }] })
})

test('a transfer that left the account is not booked as money received', async () => {
  await sendNews({ kind: 'TRANSFER_IN', direction: 'OUT', amount: 700n })
  await app.drain()
  expect((await account()).ledger_balance).toBe(-700)
  const { data } = await ana.admin('listSuspense', { query: { status: 'OPEN' } })
  expect(data).toContainEqual(expect.objectContaining({ cash: -700, reason: 'another direction' }))
  await sendNews({ kind: 'CHARGE', direction: null, amount: 700n })
  await app.drain()
  expect((await account()).ledger_balance).toBe(-700)
})

test('cash between accounts is not lent, and is an alert if it does not arrive', async () => {
  const { iban: funding } = app.context.database.settings.bank_accounts.FUNDING
  await sendNews({ kind: 'CHARGE', direction: 'IN', account_iban: funding, amount: 8_000n })
  await app.drain()
  const { funding: before } = await ana.admin('getToday')
  await sendNews({ kind: 'TRANSFER_OWN', direction: 'OUT', account_iban: funding, amount: 5_000n })
  await app.drain()
  expect((await ana.admin('getToday')).funding).toBe(before - 5_000)
  const open = async () =>
    (await ana.admin('listAlerts')).data.filter(one => one.kind === 'cash_in_transit')
  await advance('2027-03-04')
  expect(await open()).toMatchObject([{ detail: expect.stringContaining('50.00') }])
  await sendNews({ kind: 'TRANSFER_OWN', direction: 'IN', account_iban: funding, amount: 5_000n })
  await app.drain()
  expect((await ana.admin('getToday')).funding).toBe(before)
  await advance('2027-03-05')
  expect(await open()).toEqual([])
})
