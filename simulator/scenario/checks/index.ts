/**
 * Rules that must hold at the end of every day. They complement the service's own verification:
 * they are computed from primary facts, such as the bank's statement, each loan's movements and
 * responses to clients.
 */
import type pg from 'pg'
import { verifyBooks } from '../../../server/src/back-office/verification/verify.ts'
import type { ConnectionPool } from '../../../server/src/platform/db/connect.ts'
import { transaction } from '../../../server/src/platform/db/transaction.ts'
import { type Day, firstOfMonth } from '../../../server/src/platform/kit/dates.ts'
import { Violation, type World } from '../world.ts'
import {
  acknowledgedWritesExist,
  bankAgrees,
  daysTieOut,
  nothingPending,
  ordersAreStored,
  paidOnce,
  walletsAgree,
} from './bank.ts'
import { cashEqualsDebt, transfersArrive } from './cash.ts'
import { interestIsExact } from './interest.ts'
import { blockedDrawNothing, neverLentTooMuch, partsAddUp } from './lending.ts'
import { lossesAreExact, plansAddUp } from './losses.ts'
import { eventsMatchChanges, mailsOnce } from './notifications.ts'
import { feesAreMonthly, stoppedStaysStopped } from './orders.ts'
import type { Rows } from './rows.ts'
import { statementsAgree } from './statements.ts'

/** Throws `Violation` with the first broken rule. */
export async function checkWorld(
  world: World,
  aside: Pick<pg.Pool, 'query'>,
  day: Day,
): Promise<void> {
  const rows: Rows = async (text, values = []) => (await aside.query(text, values)).rows
  await nothingPending(rows)
  await bankAgrees(rows)
  await daysTieOut(rows)
  await ordersAreStored(rows)
  await walletsAgree(world, rows)
  await paidOnce(rows)
  await acknowledgedWritesExist(world, rows)
  await lossesAreExact(rows)
  await transfersArrive(rows)
  await cashEqualsDebt(rows)
  await neverLentTooMuch(world, rows, day)
  await partsAddUp(rows)
  await blockedDrawNothing(rows)
  await interestIsExact(rows, firstOfMonth(day))
  await plansAddUp(rows)
  await feesAreMonthly(rows, day)
  await stoppedStaysStopped(rows)
  await eventsMatchChanges(rows)
  await mailsOnce(world, rows)
}

/** Runs the service's own verification and checks statements. Too slow to run every evening. */
export async function checkBooks(world: World, aside: ConnectionPool): Promise<void> {
  const database = { ...world.app.context.database, pool: aside }
  const { findings } = await verifyBooks(database)
  const [finding] = findings
  if (finding) throw new Violation(`verify finds ${finding.check}`, finding.detail)
  await transaction(database, { partners: '*', read_only: true }, statementsAgree)
}
