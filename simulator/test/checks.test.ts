/** Tests the nightly checks with rare stories that few seeds produce. */
import { expect } from 'vitest'
import { approveWriteOff } from '../../server/src/credit/loans/index.ts'
import { calendar, type Tale } from '../../server/test/support/calendar.ts'
import { atDesk, operatorOf } from '../../server/test/support/desk.ts'
import type { TestHouse } from '../../server/test/support/house.ts'
import {
  debitOf,
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
import { until } from '../../server/test/support/until.ts'
import { propose } from '../../server/test/support/write-offs.ts'
import { cashEqualsDebt, transfersArrive } from '../life/checks/cash.ts'
import { neverLentTooMuch } from '../life/checks/lending.ts'
import { lossesAreExact } from '../life/checks/losses.ts'
import type { Rows } from '../life/checks/rows.ts'
import { emptyWorld, type SimulatedHouse, type World } from '../life/world.ts'
import { randomFrom } from '../random.ts'

const story = calendar('2027-01-11')

interface Fault {
  readonly text: string
  readonly values: unknown[]
}

/**
 * Reads a house's database as the checks do, across all partners; `fault` is planted before and
 * rolled back after.
 */
async function looking(
  { context }: TestHouse,
  look: (rows: Rows) => Promise<void>,
  fault?: Fault,
): Promise<void> {
  const client = await context.database.pool.connect()
  try {
    await client.query('begin isolation level repeatable read')
    await client.query(`set local headroom.partners = '*'`)
    if (fault) expect((await client.query(fault.text, fault.values)).rowCount).toBe(1)
    await look(async (text, values = []) => (await client.query(text, values)).rows)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A world for the nightly checks, not created by a seed. */
function worldOf({ context }: TestHouse): World {
  return emptyWorld(randomFrom(1), { context } as SimulatedHouse)
}

/**
 * Checks once nothing is in progress, because other stories run meanwhile and the checks see all
 * rows.
 */
async function checked(house: TestHouse, world: World): Promise<void> {
  await until(async () => {
    await house.drain()
    let quiet = false
    await looking(house, async rows => {
      quiet = (await rows(UNBOOKED)).length === 0
      if (!quiet) return
      await transfersArrive(rows)
      await cashEqualsDebt(rows)
      await neverLentTooMuch(world, rows)
    })
    return quiet
  })
}

/** Bank news delivered but not booked yet. */
const UNBOOKED = `select 1 from sandbox_bank_statement s where s.told_at is not null
  and not exists (select from bank_news n
    where n.bank_reference = s.id::text and n.booked_at is not null) limit 1`

/** A loan collected by debit and paid a second time, so that most of the transfer is refunded. */
async function refundedTwice({ house, until }: Tale, borrower: ReadyBorrower): Promise<Loan> {
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(house, { to: loan, amount: 1_000_000 })
  await until('2027-02-10')
  return loan
}

story('a refund of a returned payout counts as debt of the line', async tale => {
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

story('a returned refund lends nothing and leaves no room to lend more', async tale => {
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
  expect(world.taken_back.get(id)?.amount).toBe(1_000_000n)
})

story('cash equals debt, and a difference of one cent is detected', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await refundedTwice(tale, borrower)
  await refundDebit(house, await debitOf(house, loan))
  // The other stories are over, so nothing is in progress.
  await until('2027-02-12')
  await looking(house, cashEqualsDebt)
  // A refund without debt, principal without cash, interest without payment.
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

story('a transfer neither matched nor in suspense is detected', async ({ house, until }) => {
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

/** Written off as of the day before its debit, then paid twice more and refunded. */
async function lostAndRefunded({ house, until }: Tale, borrower: ReadyBorrower): Promise<Loan> {
  const [ann, ben] = [await operatorOf(house), await operatorOf(house)]
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-20')
  const id = await propose(house, ann, loan, '2027-01-20')
  await until('2027-01-22')
  await atDesk(house, tx => approveWriteOff(tx, ben, id))
  await until('2027-02-01')
  // 4,500 of this pay interest.
  await payIn(house, { to: loan, amount: 1_000_000 })
  await until('2027-02-03')
  await payIn(house, { to: loan, amount: 1_000_000, value_date: '2027-01-25' })
  await until('2027-02-05')
  return loan
}

story('refunded money does not recover a later loss', async tale => {
  const { house } = tale
  const loan = await lostAndRefunded(tale, await readyBorrower(house))
  await looking(house, lossesAreExact)
  await refundDebit(house, await debitOf(house, loan))
  await looking(house, lossesAreExact)
  const kept = `select principal_written_off as lost, principal_recovered as recovered from loans
    where id = $1`
  await looking(house, async rows => {
    expect(await rows(kept, [loan.id])).toEqual([{ lost: 2_000_000n, recovered: 1_000_000n }])
  })
  // Loss too high or too low, full or no recovery, or debt left after all.
  for (const change of [
    'principal_written_off = principal_written_off + 1',
    'principal_written_off = principal_written_off - 1',
    'principal_recovered = principal_written_off',
    'principal_recovered = 0',
    'principal_outstanding = 1',
    `status = 'TO_REPAY'`,
  ]) {
    const text = `update loans set ${change} where id = $1`
    await isFound(house, { text, values: [loan.id] }, change)
  }
  // The whole refund counts as surplus, or less counts as lent although no surplus was left.
  for (const [lent, instead] of [
    [0, 995_500],
    [995_500, 995_500 - 4_501],
  ]) {
    const text = `
      with refund as (update loan_movements set principal = -$3::bigint
        where loan_id = $1 and kind = 'REFUND' and amount = 995500 and principal = -$2::bigint
        returning 1)
      update loans set principal_written_off = principal_written_off + $3::bigint - $2::bigint
      where id = $1 and (select count(*) from refund) = 1`
    await isFound(house, { text, values: [loan.id, lent, instead] }, `${instead} for ${lent}`)
  }
})

async function isFound(house: TestHouse, fault: Fault, told: string): Promise<void> {
  await expect(looking(house, lossesAreExact, fault), told).rejects.toMatchObject({
    rule: 'a loss is not what was owed',
  })
}
