/** Hands over to the bank what is due: direct debits two TARGET days ahead, the rest on its day. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import { inSlices } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import { addDays, type Day } from '../kit/dates.ts'
import { debitsUntil } from './dates.ts'
import { instructPayments } from './instruct-payments.ts'
import { keepDays } from './keep-days.ts'
import { collectionsStopped } from './kill-switches.ts'
import type { PaymentRow } from './types.ts'

const SERVICE: Actor = 'service'
const SLICE = 200

/** Instructs collections and refunds that are due; payouts belong to their loans. */
export async function instructDuePayments(database: Database, today: Day): Promise<number> {
  const instructed = await inSlices(database, async tx => {
    const due = await lockDue(tx, today)
    await instructPayments(tx, SERVICE, due)
    return due.length
  })
  return instructed + (await inSlices(database, putOffStopped))
}

/**
 * While debits are stopped, those whose turn it was show the day that they have when they go
 * tomorrow: so whoever reads it, and what is frozen by then, follow.
 */
async function putOffStopped(tx: Tx): Promise<number> {
  if (!(await collectionsStopped(tx))) return 0
  const tomorrow = addDays(tx.today, 1)
  const stopped = await tx.all(sql<PaymentRow>`
    select * from payments where status = 'SCHEDULED' and direction = 'IN'
      and (payment_method = 'DIRECT_DEBIT' and scheduled_on < ${debitsUntil(tomorrow)}
        or payment_method = 'P2P' and scheduled_on < ${tomorrow})
    order by id limit ${SLICE} for no key update`)
  await keepDays(tx, stopped, tomorrow)
  return stopped.length
}

/** Debits that are stopped are left out: slices would be filled by what stays. */
async function lockDue(tx: Tx, today: Day): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where status = 'SCHEDULED' and (
      not ${await collectionsStopped(tx)}::boolean and (
        payment_method = 'DIRECT_DEBIT' and scheduled_on <= ${debitsUntil(today)}
        or payment_method = 'P2P' and direction = 'IN' and scheduled_on <= ${today})
      or payment_type in ('REFUND', 'REVENUE_SHARE') and scheduled_on <= ${today})
      -- A bill that nobody has sent yet is debited from nobody.
      and not exists (select from bills b where b.id = payments.bill_id
        and (b.status = 'VALIDATED' or b.status = 'GENERATED'))
    order by id limit ${SLICE} for no key update`)
}
