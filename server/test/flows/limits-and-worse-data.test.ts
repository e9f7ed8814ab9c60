/** Worse shared data never raises a credit limit, whatever gets worse and in whatever order. */
import { SCORECARD_FIGURES } from '@headroom/contract'
import type { Client } from '@headroom/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'

const app = await testApp({ work: false })
const { client } = app
const TODAY = await today(app)
const DEFAULT_POOL = 5_000_000

type Body<Share extends keyof Client> = Client[Share] extends (body: infer B) => unknown ? B : never
type Item<List> = NonNullable<List> extends readonly (infer One)[] ? One : never
type Transaction = Item<Body<'shareTransactions'>['transactions']>
type Account = Item<Body<'shareAccounts'>['accounts']>
type Invoice = Omit<Item<Body<'shareInvoices'>['invoices']>, 'seller' | 'buyer'>
type Period = Item<Body<'shareActivity'>['periods']>

interface Data {
  readonly accounts: readonly Account[]
  readonly transactions: readonly Transaction[]
  readonly invoices: readonly Invoice[]
  readonly periods: readonly Period[]
}
const NOTHING: Data = { accounts: [], transactions: [], invoices: [], periods: [] }

const ago = (days: number) => plusDays(TODAY, -days)
const at = (days: number) => `${ago(days)}T00:00:00Z`

const account = (amount: number, days = 1, id = 'main'): Account => ({
  id,
  amount,
  last_updated_at: at(days),
})
const credit = (days: number, amount: number, more: Partial<Transaction> = {}): Transaction => ({
  amount,
  at: at(days),
  account: 'main',
  side: 'credit',
  operation_type: 'income',
  salt_id: `credit ${days}`,
  settled_balance: 3_000_000,
  ...more,
})
const debit = (days: number, amount: number, more: Partial<Transaction> = {}): Transaction => ({
  amount,
  at: at(days),
  account: 'main',
  side: 'debit',
  salt_id: `debit ${days}`,
  ...more,
})
const invoice = (number: string, issued: number, due: number, to_pay = 0): Invoice => ({
  direction: 'receivable',
  invoice_number: number,
  net_amount: 2_000_000,
  issued_at: at(issued),
  due_at: at(due),
  to_pay_amount: to_pay,
})
const period = (days: number, amount: number): Period => ({
  from: ago(days + 29),
  to: ago(days),
  amount,
  count: 10,
})

/** A company that scores well on every figure. */
const GOOD: Data = {
  accounts: [account(4_000_000), account(1_500_000, 5, 'savings')],
  transactions: [5, 35, 65, 95, 125, 155].flatMap(days => [
    credit(days, 4_000_000),
    debit(days + 3, 1_000_000, { settled_balance: 2_000_000 }),
  ]),
  invoices: [20, 50, 80, 110, 140, 170].map(days => invoice(`F-${days}`, days, days - 10)),
  periods: [0, 30, 60, 90, 120, 150].map(days => period(days, 3_500_000)),
}

async function shareAll({ identifier }: ReadyBorrower, data: Data) {
  const about = { identifier, identifier_type: 'siren' as const }
  const seller = about
  const buyer = { identifier: '404833048', identifier_type: 'siren' as const }
  const { accounts, transactions, periods } = data
  const invoices = data.invoices.map(one => ({ ...one, seller, buyer }))
  if (accounts.length > 0) await client.shareAccounts({ ...about, accounts: [...accounts] })
  if (transactions.length > 0) {
    await client.shareTransactions({ ...about, transactions: [...transactions] })
  }
  if (invoices.length > 0) await client.shareInvoices({ ...about, invoices })
  if (periods.length > 0) {
    await client.shareActivity({ ...about, kind: 'SALES', periods: [...periods] })
  }
  await app.drain()
}

async function explain({ id }: ReadyBorrower) {
  const line = (await client.listCreditLines({ borrower: [id] })).data[0]!
  return client.explainCreditLine({ credit_line_id: line.id })
}

type Limit = Awaited<ReturnType<typeof explain>>

/** The explained limit of a new company that has shared exactly this data. */
async function limitOf(data: Data): Promise<Limit> {
  const borrower = await readyBorrower(app)
  await shareAll(borrower, data)
  return explain(borrower)
}

/** The figures that do not depend on the registry or on the date of the data. */
const OF_SHARED_DATA = Object.keys(SCORECARD_FIGURES).filter(name => {
  return !['age_days', 'share_capital', 'data_age_days'].includes(name)
})

function expectNotBetter(worse: Limit, before: Limit) {
  for (const [name, { better }] of Object.entries(SCORECARD_FIGURES)) {
    const [was, now] = [before.inputs[name], worse.inputs[name]]
    if (was === null || !OF_SHARED_DATA.includes(name)) continue
    const sign = better === 'higher' ? 1 : -1
    expect(sign * Number(now), name).toBeLessThanOrEqual(sign * Number(was))
    expect(now, name).not.toBeNull()
  }
  expect(worse.pool_amount).toBeLessThanOrEqual(before.pool_amount)
}

describe('unknown data does not count as good', () => {
  test('no shared data leaves the default', async () => {
    expect(await limitOf(NOTHING)).toMatchObject({ pool_amount: DEFAULT_POOL })
  })

  test('one debit of €1 and no credit is no income, and grants no €150,000', async () => {
    const borrower = await readyBorrower(app)
    await shareAll(borrower, { ...NOTHING, transactions: [debit(1, 100)] })
    const limit = await explain(borrower)
    expect(limit.inputs).toMatchObject({
      income_monthly: 0,
      months_with_income: 0,
      turnover_monthly: 0,
      low_cash_days: null,
      balance_total: null,
    })
    expect(limit.pool_amount).toBe(DEFAULT_POOL - 2_500_000 - 1_000_000)
    const loan = await requestLoan(app, borrower, { amount: 15_000_000 })
    expect(loan).toMatchObject({
      status: 'DECLINED',
      denial_reason: 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE',
    })
  })

  test('an invoice is overdue from the day after its due date until it is paid', async () => {
    const due = async (days: number, issued = 60) => {
      const invoices = [invoice('F-1', issued, days, 2_000_000), invoice('F-2', 10, 5)]
      return (await limitOf({ ...NOTHING, invoices })).inputs.overdue_ppm
    }
    expect(await due(-20)).toBe(0)
    expect(await due(0)).toBe(0)
    expect(await due(1)).toBe(500_000)
    expect(await due(300, 330)).toBe(500_000)
  })

  test.each<[string, Partial<Data>]>([
    ['a declined credit', { transactions: [credit(1, 10_000_000, { status: 'declined' })] }],
    ['a deleted credit', { transactions: [credit(1, 10_000_000, { status: 'deleted' })] }],
    ['a credit still pending', { transactions: [credit(-5, 10 ** 9, { status: 'pending' })] }],
    ['a credit in another currency', { transactions: [credit(1, 10 ** 9, { currency: 'USD' })] }],
    ['a credit from long ago', { transactions: [credit(400, 10 ** 9)] }],
    [
      'a recalled credit',
      {
        transactions: [credit(9, 10 ** 9), debit(8, 10 ** 9, { operation_type: 'recall' })],
      },
    ],
    ['a credit of one cent', { transactions: [credit(1, 1)] }],
    ['an overdraft', { accounts: [account(-(10 ** 12)), account(-(10 ** 12), 1, 'second')] }],
    ['an overdraft from long ago', { accounts: [account(-100_000, 200)] }],
    ['an invoice in another currency', { invoices: [{ ...invoice('1', 9, 1), currency: 'USD' }] }],
    ['an invoice dated tomorrow', { invoices: [invoice('1', -2, -9)] }],
    ['a credit note', { invoices: [{ ...invoice('1', 9, 1), net_amount: -(10 ** 9) }] }],
    ['an overdue invoice', { invoices: [invoice('1', 90, 60, 2_000_000)] }],
    ['no sales', { periods: [period(0, 0)] }],
    ['sales from years ago', { periods: [period(700, 10 ** 9)] }],
  ])('%s raises nothing', async (_name, data) => {
    const { pool_amount } = await limitOf({ ...NOTHING, ...data })
    expect(pool_amount).toBeLessThan(DEFAULT_POOL)
  })

  test('the same account under two ids, and a batch sent twice, count once', async () => {
    const borrower = await readyBorrower(app)
    const iban = (id: string, days: number): Account => ({
      ...account(8_000_000, days, id),
      account_number: 'FR76 3000 6000 0112 3456 7890 189',
    })
    const twin = { ...iban('copy', 3), account_number: 'fr7630006000011234567890189' }
    const data = { ...NOTHING, accounts: [iban('main', 2), twin], transactions: GOOD.transactions }
    await shareAll(borrower, data)
    const once = await explain(borrower)
    expect(once.inputs).toMatchObject({ balance_total: 8_000_000 })
    await shareAll(borrower, data)
    expect((await explain(borrower)).inputs).toEqual(once.inputs)
  })
})

/** Ways to make a company's shared data worse. Deleted rows stay, with the status `deleted`. */
const WORSE: Record<string, (data: Data) => Data> = {
  'a credit less': data => without(data, row => row.side === 'credit'),
  'a credit of less': data => ({
    ...data,
    transactions: data.transactions.map(t => (t.side === 'credit' ? { ...t, amount: 1_000 } : t)),
  }),
  'more debits': data => ({
    ...data,
    transactions: [...data.transactions, debit(2, 9_000_000), debit(1, 50_000_000)],
  }),
  'days of low cash': data => ({
    ...data,
    transactions: [
      ...data.transactions,
      ...Array.from({ length: 16 }, (_, i) => debit(40 + i, 100, { settled_balance: 20_000 })),
    ],
  }),
  'a lower balance': data => ({
    ...data,
    accounts: data.accounts.map(a => ({ ...a, amount: a.amount - 4_900_000 })),
  }),
  'more invoices overdue': data => ({
    ...data,
    invoices: [...data.invoices, ...[41, 42, 43].map(n => invoice(`L-${n}`, n, 20, 2_000_000))],
  }),
  'later payments': data => ({
    ...data,
    invoices: data.invoices.map((i, n) => (n > 2 ? { ...i, to_pay_amount: i.net_amount } : i)),
  }),
  'lower sales': data => ({ ...data, periods: data.periods.map(p => ({ ...p, amount: 1 })) }),
}

function without(data: Data, wanted: (row: Transaction) => boolean): Data {
  const gone = data.transactions.findIndex(row => wanted(row) && row.status !== 'deleted')
  const status = 'deleted' as const
  const transactions = data.transactions.map((t, i) => (i === gone ? { ...t, status } : t))
  return { ...data, transactions }
}

describe('worse data never raises a limit', () => {
  test('figure by figure, one after the other, for the same company', async () => {
    const borrower = await readyBorrower(app)
    let data = GOOD
    await shareAll(borrower, data)
    const first = await explain(borrower)
    expect(first.pool_amount).toBeGreaterThan(DEFAULT_POOL)
    let before = first
    for (const worsen of Object.values(WORSE)) {
      data = worsen(data)
      await shareAll(borrower, data)
      const now = await explain(borrower)
      expectNotBetter(now, before)
      before = now
    }
    expect(before.pool_amount).toBe(0)
    expect((await app.verify()).findings).toEqual([])
  })

  test('even if balances are withheld or deleted after they have been shared', async () => {
    const borrower = await readyBorrower(app)
    const low = WORSE['days of low cash']!(GOOD)
    await shareAll(borrower, low)
    let before = await explain(borrower)
    expect(before.inputs).toMatchObject({ low_cash_days: 16 })
    const silent = ({ settled_balance: _, ...row }: Transaction): Transaction => row
    const isLow = (row: Transaction) => Number(row.settled_balance) < 50_000
    const taken = (row: Transaction): Transaction => ({ ...silent(row), status: 'deleted' })
    const raised = (row: Transaction): Transaction => ({
      ...taken(row),
      settled_balance: 9_000_000,
    })
    // A transaction on a day without a reported balance must not improve a figure.
    const more = [...low.transactions.map(silent), debit(3, 100)]
    const steps = [
      low.transactions.map(silent),
      more,
      low.transactions.filter(isLow).slice(3).map(taken),
      low.transactions.filter(isLow).map(raised),
    ]
    const days: unknown[] = []
    for (const transactions of steps) {
      await shareAll(borrower, { ...NOTHING, transactions })
      const now = await explain(borrower)
      expectNotBetter(now, before)
      days.push(now.inputs.low_cash_days)
      before = now
    }
    expect(days).toEqual([16, 17, 17, 17])
  })

  test('whatever good data random companies withhold', async () => {
    const some = <Row>(rows: readonly Row[]) => fc.subarray([...rows])
    const part = fc.record({
      accounts: some(GOOD.accounts),
      transactions: some(GOOD.transactions),
      invoices: some(GOOD.invoices),
      periods: some(GOOD.periods),
    })
    // Keeps a row of each kind, because a kind that was never shared does not affect the limit.
    const kept = part.filter(data => {
      const result = data.transactions.some(row => row.settled_balance)
      return result && Object.values(data).every(rows => rows.length > 0)
    })
    const full = await limitOf(GOOD)
    await fc.assert(
      fc.asyncProperty(kept, fc.constantFrom(...Object.values(WORSE)), async (data, worsen) => {
        const less = await limitOf(data)
        expectNotBetter(less, full)
        expectNotBetter(await limitOf(worsen(data)), less)
      }),
      { numRuns: 12 },
    )
  })

  test('aging data never raises it above that of a company without data', async () => {
    const borrower = await readyBorrower(app)
    await shareAll(borrower, { ...NOTHING, transactions: GOOD.transactions })
    await client.advanceSandboxClock({ days: 190 })
    const old = await explain(borrower)
    expect(old.inputs).toMatchObject({ turnover_monthly: 0, months_with_income: 0 })
    expect(old.pool_amount).toBeLessThan(DEFAULT_POOL)
  })
})
