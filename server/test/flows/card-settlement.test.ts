/** Card spending is settled with the processor from the lender's cash. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { activateSwitch, deactivateSwitch, payProcessor } from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { bankCash, lenderBalance, post, transferPostings } from '../../src/platform/ledger/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, authorize, spend } from '../support/cards.ts'
import { receiveNews, runSql } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'

// 14 January 2027 is a Thursday.
const story = calendar('2027-01-14')

interface Paid {
  id: string
  amount: bigint
  status: string
  paid_on: string | null
}

function payments(app: TestApp): Promise<Paid[]> {
  return asOperator(app, tx =>
    tx.all(sql<Paid>`select id, amount, status, paid_on from processor_payments order by id`),
  )
}

async function owed(app: TestApp): Promise<bigint> {
  const row = await asOperator(app, tx =>
    tx.one(sql<{ amount: bigint }>`select -${lenderBalance(['card_settlement'])} as amount`),
  )
  return row.amount
}

/** Withdraws all but this many cents from the lender's account. */
async function leave(tx: Tx, cents: bigint): Promise<void> {
  const { cash } = await tx.one(sql<{ cash: bigint }>`
    select ${lenderBalance(['bank_cash'])} + ${lenderBalance(['suspense'])} as cash`)
  const postings = transferPostings(
    bankCash(tx.settings.bank_accounts.FUNDING.id, tx.today),
    { code: 'lender_capital', owner_id: null },
    cents - cash,
  )
  await post(tx, [{ kind: 'opening_balance', partner_id: LENDER_ID, value_on: tx.today, postings }])
}

story('paid on banking days, netted, alerted when returned, held for lack of cash', async tale => {
  const { app, until } = tale
  const card = await activeCard(app)
  const bought = await spend(app, card, 50_000)
  await authorize(app, card, 7_000)
  expect(await owed(app)).toBe(50_000n)
  await until('2027-01-15')
  expect(await payments(app)).toMatchObject([
    { amount: 50_000n, status: 'PAID', paid_on: '2027-01-15' },
  ])
  expect(await owed(app)).toBe(0n)

  // No payment leaves over a weekend. A dispute reduces the amount owed to the processor.
  await spend(app, card, 9_000)
  await app.client.disputeSandboxCardEntry({ entry_id: bought.id, amount: 20_000 })
  await until('2027-01-18')
  expect(await payments(app)).toHaveLength(1)
  expect(await owed(app)).toBe(-11_000n)
  await spend(app, card, 12_000)
  // Only one of several concurrent runs sends a payment.
  const runs = await Promise.all([1, 2, 3, 4].map(() => payProcessor(app.context)))
  expect(runs.toSorted()).toEqual([0, 0, 0, 1])
  await until('2027-01-19')
  const [first, second] = await payments(app)
  expect(second).toMatchObject({ amount: 1_000n, status: 'PAID', paid_on: '2027-01-18' })

  // The bank returns the first payment, so its amount is owed again and added to the next one.
  const result = { payment_id: first!.id, amount: 50_000n, value_on: '2027-01-19' as never }
  await receiveNews(app, { ...result, kind: 'RETURNED', reason_code: 'AC04' })
  expect((await payments(app))[0]).toMatchObject({ status: 'RETURNED' })
  expect(await owed(app)).toBe(50_000n)
  expect((await asOperator(app, readOpenAlerts)).map(alert => alert.kind)).toEqual([
    'processor_unpaid',
  ])
  await receiveNews(app, { ...result, kind: 'RETURNED', reason_code: 'AC04' })
  expect((await asOperator(app, readOpenAlerts)).map(alert => alert.kind)).toContain('suspense')

  await asOperator(app, tx => leave(tx, 49_999n))
  await until('2027-01-20')
  expect((await payments(app))[2]).toMatchObject({ amount: 50_000n, status: 'SCHEDULED' })
  await spend(app, card, 1_000)
  await asOperator(app, tx => leave(tx, 51_000n))
  await until('2027-01-21')
  expect((await payments(app))[2]).toMatchObject({ amount: 51_000n, status: 'PAID' })
  expect(await owed(app)).toBe(0n)

  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const payouts = { kind: 'payouts', partner_id: LENDER_ID } as const
  await spend(app, card, 2_000)
  await asOperator(app, tx => leave(tx, 1_000_000n))
  await asOperator(app, tx => activateSwitch(tx.as(ann), payouts, 'fraud?'))
  expect(await authorize(app, card, 100)).toMatchObject({ reason: 'lending_stopped' })
  await until('2027-01-22')
  expect(await owed(app)).toBe(2_000n)
  // A second operator deactivates the switch, and the held payment leaves at once.
  await asOperator(app, tx => deactivateSwitch(tx.as(ben), payouts))
  expect(await owed(app)).toBe(0n)
  expect(await authorize(app, card, 100)).toMatchObject({ approved: true })

  // Verification detects a difference of one cent on both sides of a payment.
  const shift = 'update processor_payments set amount = amount + $2 where id = $1'
  await runSql(app, shift, [second!.id, 1])
  const found = (await app.verify()).findings.map(finding => finding.check)
  expect(found.toSorted()).toEqual(['card_settlement', 'cash_moved'])
  await runSql(app, shift, [second!.id, -1])
})
