/** What the nightly checks of lives say of rare stories, which few seeds tell. */
import { expect } from 'vitest'
import { calendar, type Tale } from '../../server/test/support/calendar.ts'
import type { TestHouse } from '../../server/test/support/house.ts'
import {
  type Loan,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  sendBack,
} from '../../server/test/support/money.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { cashEqualsDebt, transfersArrive } from '../life/checks/cash.ts'
import { neverLentTooMuch } from '../life/checks/lending.ts'
import type { Rows } from '../life/checks/rows.ts'
import { emptyWorld, type SimulatedHouse, type World } from '../life/world.ts'
import { randomFrom } from '../random.ts'

const story = calendar('2027-01-11')

/**
 * Looks at a house as the checks of a life do, at all its rows, past its walls; `fault` is planted
 * before and taken out after.
 */
async function looking(
  { context }: TestHouse,
  look: (rows: Rows) => Promise<void>,
  fault?: { text: string; values: unknown[] },
): Promise<void> {
  const client = await context.database.pool.connect()
  try {
    await client.query('begin')
    await client.query(`set local headroom.partners = '*'`)
    if (fault) expect((await client.query(fault.text, fault.values)).rowCount).toBe(1)
    await look(async (text, values = []) => (await client.query(text, values)).rows)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A world whose nights are checked; nothing of it was made by a seed. */
function worldOf({ context }: TestHouse): World {
  return emptyWorld(randomFrom(1), { context } as SimulatedHouse)
}

async function checked(house: TestHouse, world: World): Promise<void> {
  await house.drain()
  await looking(house, async rows => {
    await transfersArrive(rows)
    await cashEqualsDebt(rows)
    await neverLentTooMuch(world, rows)
  })
}

const debitOf = async (house: TestHouse, loan: Loan) =>
  (await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')).find(
    payment => payment.payment_method === 'DIRECT_DEBIT',
  )!

/** A loan that is debited and paid a second time: most of the transfer is refunded. */
async function refundedTwice({ house, until }: Tale, borrower: ReadyBorrower): Promise<Loan> {
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(house, { to: loan, amount: 1_000_000 })
  await until('2027-02-10')
  return loan
}

story('a line owes a refund whose payout came back', async tale => {
  const { house, until } = tale
  const world = worldOf(house)
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 300_000, days: 10 })
  await until('2027-01-21')
  const [payout] = await paymentsOfType(house, loan, 'LOAN_PAYMENT')
  await sendBack(house, payout!, { reason_code: 'AC04' })
  await until('2027-02-01')
  await checked(house, world)
  await refundDebit(house, await debitOf(house, loan))
  expect(await loanOf(house, loan.id)).toMatchObject({ reclaimed_refunds_amount: 300_000 })
  await checked(house, world)
})

story('a refund that comes back lends nothing: it leaves no room to lend more', async tale => {
  const { house } = tale
  const world = worldOf(house)
  const borrower = await readyBorrower(house)
  const loan = await refundedTwice(tale, borrower)
  await checked(house, world)
  await refundDebit(house, await debitOf(house, loan))
  const [refund] = await paymentsOfType(house, loan, 'REFUND')
  await sendBack(house, refund!, { reason_code: 'AC04' })
  await checked(house, world)
  const { id } = await lineOf(house, borrower)
  expect(world.taken_back.get(id)).toBe(1_000_000n)
})

story('cash equals debt, and a cent that only one side has is found', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await refundedTwice(tale, borrower)
  await refundDebit(house, await debitOf(house, loan))
  // The other stories are over: nothing is half done.
  await until('2027-02-12')
  await looking(house, cashEqualsDebt)
  // Refunded money that nobody owes; principal that no cash stands for; interest nobody paid.
  for (const [column, cents] of [
    ['principal_outstanding', -995_000],
    ['principal_outstanding', 1],
    ['interest_paid', 1],
    ['surplus', 1],
  ] as const) {
    const text = `update loans set ${column} = ${column} + $1 where id = $2`
    const look = looking(house, cashEqualsDebt, { text, values: [cents, loan.id] })
    await expect(look, column).rejects.toMatchObject({
      rule: "a borrower's cash is not its debt",
    })
  }
})

story('a transfer that is neither matched nor in suspense is found', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 50_000, days: 10 })
  await payIn(house, { to: loan, amount: 777, reference: 'no reference' })
  await until('2027-02-12')
  await looking(house, transfersArrive)
  const text = 'delete from suspense_items where amount = $1'
  await expect(looking(house, transfersArrive, { text, values: [777] })).rejects.toMatchObject({
    rule: 'money came in and is nowhere',
  })
})
