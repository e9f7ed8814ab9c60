/** Card spending is settled with the processor from the lender's cash, and verified. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { liftSwitch, payProcessor, throwSwitch } from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { lenderBalance, post, transferPostings } from '../../src/platform/ledger/index.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, authorize, spend } from '../support/cards.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import type { TestHouse } from '../support/house.ts'
import { byHand, tellOfBank } from '../support/money.ts'

// A Thursday.
const story = calendar('2027-01-14')

interface Paid {
  id: string
  amount: bigint
  status: string
  paid_on: string | null
}

function payments(house: TestHouse): Promise<Paid[]> {
  return atDesk(house, tx =>
    tx.all(sql<Paid>`select id, amount, status, paid_on from processor_payments order by id`),
  )
}

async function owed(house: TestHouse): Promise<bigint> {
  const row = await atDesk(house, tx =>
    tx.one(sql<{ amount: bigint }>`select -${lenderBalance('card_settlement')} as amount`),
  )
  return row.amount
}

/** Withdraws all but this many cents from the lender's account. */
async function leave(tx: Tx, cents: bigint): Promise<void> {
  const { cash } = await tx.one(sql<{ cash: bigint }>`
    select ${lenderBalance('bank_cash')} + ${lenderBalance('suspense')} as cash`)
  const postings = transferPostings(
    { code: 'bank_cash', owner_id: null },
    { code: 'lender_capital', owner_id: null },
    cents - cash,
  )
  await post(tx, [{ kind: 'funding_opened', value_on: tx.today, postings }])
}

story('paid on banking days, netted, alerted when returned, held for lack of cash', async tale => {
  const { house, until } = tale
  const card = await activeCard(house)
  const bought = await spend(house, card, 50_000)
  await authorize(house, card, 7_000)
  expect(await owed(house)).toBe(50_000n)
  await until('2027-01-15')
  expect(await payments(house)).toMatchObject([
    { amount: 50_000n, status: 'PAID', paid_on: '2027-01-15' },
  ])
  expect(await owed(house)).toBe(0n)

  // No payment leaves over a weekend; a dispute reduces what is owed.
  await spend(house, card, 9_000)
  await house.client.disputeSandboxCardEntry({ entry_id: bought.id, amount: 20_000 })
  await until('2027-01-18')
  expect(await payments(house)).toHaveLength(1)
  expect(await owed(house)).toBe(-11_000n)
  await spend(house, card, 12_000)
  // The day's run and concurrent wake-ups overlap: only one payment leaves.
  const runs = await Promise.all([1, 2, 3, 4].map(() => payProcessor(house.context)))
  expect(runs.toSorted()).toEqual([0, 0, 0, 1])
  await until('2027-01-19')
  const [first, second] = await payments(house)
  expect(second).toMatchObject({ amount: 1_000n, status: 'PAID', paid_on: '2027-01-18' })

  // The bank returns the first payment, so the amount is owed again and added to the next.
  const told = { payment_id: first!.id, amount: 50_000n, value_on: '2027-01-19' as never }
  await tellOfBank(house, { ...told, kind: 'RETURNED', reason_code: 'AC04' })
  expect((await payments(house))[0]).toMatchObject({ status: 'RETURNED' })
  expect(await owed(house)).toBe(50_000n)
  expect((await atDesk(house, readOpenAlerts)).map(alert => alert.kind)).toEqual([
    'processor_unpaid',
  ])
  await tellOfBank(house, { ...told, kind: 'RETURNED', reason_code: 'AC04' })
  expect((await atDesk(house, readOpenAlerts)).map(alert => alert.kind)).toContain('suspense')

  await atDesk(house, tx => leave(tx, 49_999n))
  await until('2027-01-20')
  expect((await payments(house))[2]).toMatchObject({ amount: 50_000n, status: 'SCHEDULED' })
  await spend(house, card, 1_000)
  await atDesk(house, tx => leave(tx, 51_000n))
  await until('2027-01-21')
  expect((await payments(house))[2]).toMatchObject({ amount: 51_000n, status: 'PAID' })
  expect(await owed(house)).toBe(0n)

  const [ann, ben] = [await operatorOf(house), await operatorOf(house)]
  const payouts = { kind: 'payouts', partner_id: null } as const
  await spend(house, card, 2_000)
  await atDesk(house, tx => leave(tx, 1_000_000n))
  await atDesk(house, tx => throwSwitch(tx, ann, payouts, 'fraud?'))
  expect(await authorize(house, card, 100)).toMatchObject({ reason: 'lending_stopped' })
  await until('2027-01-22')
  expect(await owed(house)).toBe(2_000n)
  // A second operator lifts the switch, and the held payment leaves at once.
  await atDesk(house, tx => liftSwitch(tx, ben, payouts))
  expect(await owed(house)).toBe(0n)
  expect(await authorize(house, card, 100)).toMatchObject({ approved: true })

  // A cent too much or too little is detected on both sides of the payment.
  const shift = 'update processor_payments set amount = amount + $2 where id = $1'
  await byHand(house, shift, [second!.id, 1])
  const found = (await house.verify()).findings.map(finding => finding.check)
  expect(found.toSorted()).toEqual(['card_settlement', 'cash_moved'])
  await byHand(house, shift, [second!.id, -1])
})
