/** The lender's own orders, to the card processor and for returned money: the bank's news. */
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import {
  bookBankNews,
  payProcessor,
  receiveBankNews,
  sendBackSuspense,
} from '../../src/money/payments/index.ts'
import type { BankNews } from '../../src/outside/ports/bank.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { lenderBalance } from '../../src/platform/ledger/index.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import type { TestHouse } from '../support/house.ts'
import { lend, payIn, suspended, tellOfBank } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

// A Thursday.
const TODAY = day('2027-01-14')
const story = calendar(TODAY)

interface Paid {
  id: string
  amount: bigint
  status: string
}

/** Makes the bank accept the lender's own orders without sending news about them. */
const silenced = new WeakSet<TestHouse>()
function silence(house: TestHouse): void {
  if (silenced.has(house)) return
  silenced.add(house)
  const { bank } = house.context.ports
  const submit = bank.submit.bind(bank)
  vi.spyOn(bank, 'submit').mockImplementation(async order =>
    order.partner_id === null ? { state: 'accepted' } : submit(order),
  )
}

/** Instructs a payment of the amount owed to the processor. */
async function instructed(house: TestHouse): Promise<Paid> {
  silence(house)
  expect(await payProcessor(house.context)).toBe(1)
  await house.drain()
  return newest(house)
}

function newest(house: TestHouse): Promise<Paid> {
  return atDesk(house, tx =>
    tx.one(sql<Paid>`
      select id, amount, status from processor_payments order by id desc limit 1`),
  )
}

async function owed(house: TestHouse): Promise<bigint> {
  const row = await atDesk(house, tx =>
    tx.one(sql<{ amount: bigint }>`select -${lenderBalance('card_settlement')} as amount`),
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
async function returnFirst(house: TestHouse, payment_id: string, amount: bigint): Promise<void> {
  await atDesk(house, async tx => {
    for (const kind of ['SETTLED', 'RETURNED'] as const) {
      const bank_reference = crypto.randomUUID()
      await receiveBankNews(tx, [{ ...news(payment_id, kind, amount), bank_reference, raw: {} }])
    }
    const { id } = await tx.one(sql<{ id: string }>`
      select id from bank_news where payment_id = ${payment_id} and kind = 'RETURNED'`)
    await bookBankNews(tx, id)
  })
}

async function alerts(house: TestHouse): Promise<string[]> {
  const open = await atDesk(house, readOpenAlerts)
  return open.filter(one => one.kind === 'processor_unpaid').map(one => one.detail)
}

story(
  'the processor: news is booked in order, and money that has left counts as paid',
  async ({ house }) => {
    const card = await activeCard(house)
    await spend(house, card, 50_000)
    const back = await instructed(house)
    await returnFirst(house, back.id, 50_000n)
    expect(await newest(house)).toMatchObject({ id: back.id, status: 'RETURNED' })
    expect(await suspended(house, 50_000)).toEqual([])
    expect(await owed(house)).toBe(50_000n)
    expect(await alerts(house)).toEqual(['€500.00: AC04'])

    // The bank moves less than instructed: the rest is still owed, and an alert is raised.
    const less = await instructed(house)
    await tellOfBank(house, news(less.id, 'SETTLED', 49_000n))
    expect(await newest(house)).toMatchObject({ id: less.id, status: 'PAID', amount: 49_000n })
    expect(await owed(house)).toBe(1_000n)
    expect(await alerts(house)).toEqual(['€500.00: €490.00 have left'])

    // A rejection of any amount moved no money.
    const refused = await instructed(house)
    await tellOfBank(house, news(refused.id, 'REJECTED', 999n))
    expect(await newest(house)).toMatchObject({ id: refused.id, status: 'FAILED' })
    expect(await alerts(house)).toHaveLength(2)

    const rest = await instructed(house)
    // A return after this instruction is not part of its amount.
    await tellOfBank(house, news(less.id, 'RETURNED', 49_000n))
    await tellOfBank(house, news(rest.id, 'SETTLED', 1_000n))
    expect(await alerts(house)).toEqual(['€490.00: AC04'])
    expect(await owed(house)).toBe(49_000n)
    const last = await instructed(house)
    await tellOfBank(house, news(last.id, 'SETTLED', 49_000n))
    expect(await alerts(house)).toEqual([])
    expect(await owed(house)).toBe(0n)
  },
)

story('returned money: news is booked in order, and repeats have no effect', async ({ house }) => {
  const to = await lend(house, await readyBorrower(house, 'SCT'), { amount: 50_000, days: 10 })
  await payIn(house, { to, amount: 10_007, reference: 'for you' })
  const item = () =>
    atDesk(house, tx =>
      tx.one(sql<{ id: string; status: string; return_order_id: string }>`
        select id, status, return_order_id from suspense_items where amount = 10007
        order by id limit 1`),
    )
  const { id } = await item()
  silence(house)
  const operator = await operatorOf(house)
  await atDesk(house, tx => sendBackSuspense(tx, operator, id))
  const { return_order_id } = await item()
  await returnFirst(house, return_order_id, 10_007n)
  expect(await item()).toMatchObject({ id, status: 'OPEN' })
  await tellOfBank(house, news(return_order_id, 'SETTLED', 10_007n))
  expect(await suspended(house, 10_007)).toHaveLength(2)
  await tellOfBank(house, news(return_order_id, 'REJECTED', 10_007n))
  expect(await suspended(house, 10_007)).toHaveLength(3)
})
