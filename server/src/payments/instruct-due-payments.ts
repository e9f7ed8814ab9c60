/** Hands over to the bank what is due: debits two TARGET days ahead, the rest on its day. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { addTargetDays } from '../kit/calendar.ts'
import type { Day } from '../kit/dates.ts'
import { instructPayments } from './instruct-payments.ts'
import type { PaymentRow } from './types.ts'

const SERVICE: Actor = 'service'
const SLICE = 200
const DEBIT_NOTICE_TARGET_DAYS = 2

/** Instructs collections and refunds that are due; payouts belong to their loans. */
export async function instructDuePayments(database: Database, today: Day): Promise<number> {
  const debits_until = addTargetDays(today, DEBIT_NOTICE_TARGET_DAYS)
  for (let count = 0; ; ) {
    const slice = await transaction(database, { partners: '*' }, async tx => {
      const due = await lockDue(tx, today, debits_until)
      await instructPayments(tx, SERVICE, due)
      return due.length
    })
    if (slice === 0) return count
    count += slice
  }
}

async function lockDue(tx: Tx, today: Day, debits_until: Day): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where status = 'SCHEDULED' and (
      payment_method = 'DIRECT_DEBIT' and scheduled_on <= ${debits_until}
      or payment_type in ('REFUND', 'REVENUE_SHARE') and scheduled_on <= ${today})
    order by id limit ${SLICE} for no key update`)
}
