/** Bank news about the lender's own orders: payments to the card processor, and returned money. */
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { BankNews } from '../../src/integrations/ports/bank.ts'
import {
  bookBankNews,
  payProcessor,
  receiveBankNews,
  sendBackSuspense,
} from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { lenderBalance } from '../../src/platform/ledger/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { lend, onAccount, payIn, receiveNews, suspenseReasons } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { readyBorrower } from '../support/story.ts'

// 14 January 2027 is a Thursday.
const TODAY = day('2027-01-14')
const story = calendar(TODAY)

interface Paid {
  id: string
  amount: bigint
  status: string
}

const silenced = new WeakSet<TestApp>()
/** Makes the sandbox bank accept the lender's own orders without ever executing them. */
function silence(app: TestApp): void {
  if (silenced.has(app)) return
  silenced.add(app)
  const { bank } = app.context.ports
  const submit = bank.submit.bind(bank)
  vi.spyOn(bank, 'submit').mockImplementation(async order =>
    order.partner_id === LENDER_ID ? { state: 'accepted' } : submit(order),
  )
}

/** Instructs a payment of the amount owed to the processor; returns that payment. */
async function instructed(app: TestApp): Promise<Paid> {
  silence(app)
  expect(await payProcessor(app.context)).toBe(1)
  await app.drain()
  return newest(app)
}

function newest(app: TestApp): Promise<Paid> {
  return asOperator(app, tx =>
    tx.one(sql<Paid>`
      select id, amount, status from processor_payments order by id desc limit 1`),
  )
}

async function owed(app: TestApp): Promise<bigint> {
  const row = await asOperator(app, tx =>
    tx.one(sql<{ amount: bigint }>`select -${lenderBalance(['card_settlement'])} as amount`),
  )
  return row.amount
}

const news = (payment_id: string, kind: BankNews['kind'], amount: bigint) => ({
  payment_id,
  kind,
  amount,
  value_on: TODAY,
  reason_code: kind === 'SETTLED' ? null : 'AC04',
})

/** Receives a settlement and its return together, and books the return first. */
async function returnFirst(app: TestApp, payment_id: string, amount: bigint): Promise<void> {
  await asOperator(app, async tx => {
    for (const kind of ['SETTLED', 'RETURNED'] as const) {
      const bank_reference = crypto.randomUUID()
      const known = { ...news(payment_id, kind, amount), bank_reference, raw: {} }
      await receiveBankNews(tx, [await onAccount(tx, known)])
    }
    const { id } = await tx.one(sql<{ id: string }>`
      select id from bank_news where payment_id = ${payment_id} and kind = 'RETURNED'`)
    await bookBankNews(tx.as('bank'), id)
  })
}

async function alerts(app: TestApp): Promise<string[]> {
  const open = await asOperator(app, readOpenAlerts)
  return open.filter(one => one.kind === 'processor_unpaid').map(one => one.detail)
}

story(
  'the processor: news is booked in order, and money that has left counts as paid',
  async ({ app }) => {
    const card = await activeCard(app)
    await spend(app, card, 50_000)
    const back = await instructed(app)
    await returnFirst(app, back.id, 50_000n)
    expect(await newest(app)).toMatchObject({ id: back.id, status: 'RETURNED' })
    expect(await suspenseReasons(app, 50_000)).toEqual([])
    expect(await owed(app)).toBe(50_000n)
    expect(await alerts(app)).toEqual(['€500.00: AC04'])

    // The bank moves less than instructed: the rest is still owed, and an alert is raised.
    const less = await instructed(app)
    await receiveNews(app, news(less.id, 'SETTLED', 49_000n))
    expect(await newest(app)).toMatchObject({ id: less.id, status: 'PAID', amount: 49_000n })
    expect(await owed(app)).toBe(1_000n)
    expect(await alerts(app)).toEqual(['€500.00: €490.00 have left'])

    // A rejection moves no money, whatever amount it states.
    const refused = await instructed(app)
    await receiveNews(app, news(refused.id, 'REJECTED', 999n))
    expect(await newest(app)).toMatchObject({ id: refused.id, status: 'FAILED' })
    expect(await alerts(app)).toHaveLength(2)

    const rest = await instructed(app)
    // The payment instructed before does not include the amount that the bank returns now.
    await receiveNews(app, news(less.id, 'RETURNED', 49_000n))
    await receiveNews(app, news(rest.id, 'SETTLED', 1_000n))
    expect(await alerts(app)).toEqual(['€490.00: AC04'])
    expect(await owed(app)).toBe(49_000n)
    const last = await instructed(app)
    await receiveNews(app, news(last.id, 'SETTLED', 49_000n))
    expect(await alerts(app)).toEqual([])
    expect(await owed(app)).toBe(0n)
  },
)

story('returned money: news is booked in order, and repeats have no effect', async ({ app }) => {
  const to = await lend(app, await readyBorrower(app, 'SCT'), { amount: 50_000, days: 10 })
  await payIn(app, { to, amount: 10_007, reference: 'for you' })
  const item = () =>
    asOperator(app, tx =>
      tx.one(sql<{ id: string; status: string; return_order_id: string }>`
        select id, status, return_order_id from suspense_items where amount = 10007
        order by id limit 1`),
    )
  const { id } = await item()
  silence(app)
  const operator = await createOperatorId(app)
  await asOperator(app, tx => sendBackSuspense(tx.as(operator), id))
  const { return_order_id } = await item()
  await returnFirst(app, return_order_id, 10_007n)
  expect(await item()).toMatchObject({ id, status: 'OPEN' })
  await receiveNews(app, news(return_order_id, 'SETTLED', 10_007n))
  expect(await suspenseReasons(app, 10_007)).toHaveLength(2)
  await receiveNews(app, news(return_order_id, 'REJECTED', 10_007n))
  expect(await suspenseReasons(app, 10_007)).toHaveLength(3)
})
