/** Tests the simulator's nightly checks with stories that few seeds produce. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { overrideLimit } from '../../server/src/companies/credit-lines/index.ts'
import { approveWriteOff } from '../../server/src/credit/loans/index.ts'
import { transaction } from '../../server/src/platform/db/transaction.ts'
import { addDays, day } from '../../server/src/platform/kit/dates.ts'
import type { TestApp } from '../../server/test/support/app.ts'
import { calendar, type StoryContext } from '../../server/test/support/calendar.ts'
import {
  debitOf,
  type Loan,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  returnDebit,
} from '../../server/test/support/money.ts'
import { asOperator, createOperatorId } from '../../server/test/support/operators.ts'
import { type ReadyBorrower, readyBorrower, today } from '../../server/test/support/story.ts'
import { until } from '../../server/test/support/until.ts'
import { propose } from '../../server/test/support/write-offs.ts'
import { randomFrom } from '../random.ts'
import { cashEqualsDebt, transfersArrive } from '../scenario/checks/cash.ts'
import { neverLentTooMuch } from '../scenario/checks/lending.ts'
import { lossesAreExact } from '../scenario/checks/losses.ts'
import type { Rows } from '../scenario/checks/rows.ts'
import { statementsAgree } from '../scenario/checks/statements.ts'
import { emptyWorld, type SimulatedApp, type World } from '../scenario/world.ts'

const story = calendar('2027-01-11')

interface Fault {
  readonly text: string
  readonly values: unknown[]
}

/**
 * Reads an app's database as the checks do, across all partners. Plants the `fault`, if any, and
 * rolls it back at the end.
 */
async function looking(
  { context }: TestApp,
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

function worldOf({ context }: TestApp): World {
  return emptyWorld(randomFrom(1), { context } as SimulatedApp)
}

/**
 * Checks when nothing is in progress: other stories run at the same time, and the checks see all
 * rows.
 */
async function checked(app: TestApp, world: World): Promise<void> {
  await until(async () => {
    await app.drain()
    let quiet = false
    await looking(app, async rows => {
      quiet = (await rows(UNBOOKED)).length === 0
      if (!quiet) return
      await transfersArrive(rows)
      await cashEqualsDebt(rows)
      await neverLentTooMuch(world, rows, day(await today(app)))
    })
    return quiet
  })
}

const UNBOOKED = `select 1 from sandbox_bank_statement s where s.told_at is not null
  and not exists (select from bank_news n
    where n.bank_reference = s.id::text and n.booked_at is not null) limit 1`

/** A loan collected by debit and paid a second time, so that most of the transfer is refunded. */
async function refundedTwice({ app, until }: StoryContext, borrower: ReadyBorrower): Promise<Loan> {
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000 })
  await until('2027-02-10')
  return loan
}

story('a refund of a returned payout counts as debt of the line', async tale => {
  const { app, until } = tale
  const world = worldOf(app)
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 300_000, days: 10 })
  await until('2027-01-21')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!, { reason_code: 'AC04' })
  await until('2027-02-01')
  await checked(app, world)
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ reclaimed_refunds_amount: 300_000 })
  await checked(app, world)
})

story('a returned refund lends nothing and leaves no room to lend more', async tale => {
  const { app } = tale
  const world = worldOf(app)
  const borrower = await readyBorrower(app)
  const loan = await refundedTwice(tale, borrower)
  await checked(app, world)
  await refundDebit(app, await debitOf(app, loan))
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  await returnDebit(app, refund!, { reason_code: 'AC04' })
  await checked(app, world)
  const { id } = await lineOf(app, borrower)
  expect(world.taken_back.get(id)?.amount).toBe(1_000_000n)
})

story('a limit may be lowered below what was lent on the same day', async ({ app }) => {
  const world = worldOf(app)
  const borrower = await readyBorrower(app, 'SCT')
  await lend(app, borrower, { amount: 300_000, days: 10 })
  const { id: credit_line_id } = await lineOf(app, borrower)
  const operator_id = await createOperatorId(app)
  await asOperator(app, tx =>
    overrideLimit(tx.as(operator_id), {
      credit_line_id,
      pool_amount: 200_000n,
      reason: 'lent too much',
      until_on: addDays(tx.today, 9),
    }),
  )
  await checked(app, world)
})

story('cash equals debt, and a difference of one cent is detected', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await refundedTwice(tale, borrower)
  await refundDebit(app, await debitOf(app, loan))
  // The other stories are over, so nothing is in progress.
  await until('2027-02-12')
  await looking(app, cashEqualsDebt)
  // Debt lost after the refund, principal without cash, interest and surplus without payment.
  for (const [column, cents] of [
    ['principal_outstanding', -995_000],
    ['principal_outstanding', 1],
    ['interest_paid', 1],
    ['surplus', 1],
  ] as const) {
    const text = `update loans set ${column} = ${column} + $1 where id = $2`
    const look = looking(app, cashEqualsDebt, { text, values: [cents, loan.id] })
    await expect(look, column).rejects.toMatchObject({
      rule: "a borrower's cash is not its debt",
    })
  }
})

story('a transfer neither matched nor in suspense is detected', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await payIn(app, { to: loan, amount: 777, reference: 'no reference' })
  await until('2027-02-12')
  await looking(app, transfersArrive)
  const text = 'delete from suspense_items where amount = $1'
  await expect(looking(app, transfersArrive, { text, values: [777] })).rejects.toMatchObject({
    rule: 'money came in and is nowhere',
  })
})

/** A loan written off as of the day before its debit, then paid twice more and refunded. */
async function lostAndRefunded(
  { app, until }: StoryContext,
  borrower: ReadyBorrower,
): Promise<Loan> {
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-20')
  const id = await propose(app, ann, loan, '2027-01-20')
  await until('2027-01-22')
  await asOperator(app, tx => approveWriteOff(tx.as(ben), id))
  await until('2027-02-01')
  // 4,500 cents of this pay interest.
  await payIn(app, { to: loan, amount: 1_000_000 })
  await until('2027-02-03')
  await payIn(app, { to: loan, amount: 1_000_000, value_date: '2027-01-25' })
  await until('2027-02-05')
  return loan
}

story('refunded money does not recover a later loss', async tale => {
  const { app } = tale
  const loan = await lostAndRefunded(tale, await readyBorrower(app))
  await looking(app, lossesAreExact)
  await refundDebit(app, await debitOf(app, loan))
  await looking(app, lossesAreExact)
  const kept = `select principal_written_off as lost, principal_recovered as recovered from loans
    where id = $1`
  await looking(app, async rows => {
    expect(await rows(kept, [loan.id])).toEqual([{ lost: 2_000_000n, recovered: 1_000_000n }])
  })
  // A wrong loss, recovery, debt or status.
  for (const change of [
    'principal_written_off = principal_written_off + 1',
    'principal_written_off = principal_written_off - 1',
    'principal_recovered = principal_written_off',
    'principal_recovered = 0',
    'principal_outstanding = 1',
    `status = 'TO_REPAY'`,
  ]) {
    const text = `update loans set ${change} where id = $1`
    await isFound(app, { text, values: [loan.id] }, change)
  }
  // Faults: a refund of surplus is principal, or a refund without surplus is principal only in
  // part.
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
    await isFound(app, { text, values: [loan.id, lent, instead] }, `${instead} for ${lent}`)
  }
})

async function isFound(app: TestApp, fault: Fault, result: string): Promise<void> {
  await expect(looking(app, lossesAreExact, fault), result).rejects.toMatchObject({
    rule: 'a loss is not what was owed',
  })
}

story('a statement that does not end with the amount owed is detected', async ({ app }) => {
  const loan = await lend(app, await readyBorrower(app, 'SCT'), { amount: 70_000 })
  await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
    tx.dryRun(async () => {
      await statementsAgree(tx)
      const paid = sql`update loans set interest_paid = interest_paid - 1 where id = ${loan.id}`
      expect(await tx.run(paid)).toBe(1)
      await expect(statementsAgree(tx)).rejects.toThrow('a statement ends with something else')
    }),
  )
})
