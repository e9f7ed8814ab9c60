/** Validates and sends the month's bills, once the first banking day's statements are in. */
import { sql } from 'kysely'
import { type Actor, move } from '../../db/move.ts'
import { BEFORE_ALL_IDS } from '../../db/slices.ts'
import { type Database, type Tx, transaction } from '../../db/transaction.ts'
import type { BillInput } from '../../documents/index.ts'
import type { Day } from '../../kit/dates.ts'
import { settleBills } from '../collection/sync-bill-lines.ts'
import { refreshBill, refreshInSlices } from '../corrections/refresh-bill.ts'
import { setOffCredits } from '../credits/set-off-credits.ts'
import {
  type DrawnBill,
  draftBill,
  drawBill,
  isSentByPartner,
  mailBill,
  OutdatedPaper,
  writeBill,
} from '../papers/write-bill.ts'
import { sendingDay } from '../rules.ts'
import { type BillRow, lockBills, markPrepaid, setIssued, setSent } from '../store.ts'
import { dueWhenSent, putOffDueDay } from './due-day.ts'

const SERVICE: Actor = 'service'
/** A bill that changed meanwhile is drawn anew; one that goes on changing is for the next run. */
const DRAWINGS_MAX = 5

/**
 * Sends what is GENERATED from the first banking day of the month on; answers how many. A bill
 * that cannot be sent does not hold up the others: they go, and its failure is thrown at the end.
 */
export async function sendBills(database: Database, today: Day): Promise<number> {
  if (today < sendingDay(today)) return 0
  const all = { partners: '*' } as const
  const failures: unknown[] = []
  let after = BEFORE_ALL_IDS
  for (let sent = 0; ; ) {
    const next = await transaction(database, { ...all, read_only: true }, tx =>
      nextAfter(tx, after),
    )
    if (!next) {
      if (failures.length > 0) throw new AggregateError(failures, 'bills that cannot be sent')
      return sent
    }
    after = next
    sent += await sendBill(database, next).catch(error => {
      failures.push(error)
      return 0
    })
  }
}

async function nextAfter(tx: Tx, after: string): Promise<string | null> {
  const next = await tx.maybe(sql<{ id: string }>`
    select id from bills where status = 'GENERATED' and id > ${after} order by id limit 1`)
  return next?.id ?? null
}

/**
 * Sends one bill as it then is, unless that was done; answers how many were sent. That of a
 * partner is counted before, `loans_max` loans at a time; what changed meanwhile with the rest. Its
 * paper is drawn while nothing is locked, and sent only if that is still what it says.
 */
export async function sendBill(
  database: Database,
  bill_id: string,
  loans_max?: number,
): Promise<number> {
  const since = await refreshInSlices(database, bill_id, loans_max)
  const all = { partners: '*' } as const
  const draft = await transaction(database, all, tx => readDraft(tx, bill_id))
  if (!draft) return 0
  let paper = await drawBill(draft)
  for (let drawings = 1; ; drawings++) {
    try {
      return await transaction(database, all, tx => sendNow(tx, bill_id, since, paper))
    } catch (error) {
      if (!(error instanceof OutdatedPaper) || drawings === DRAWINGS_MAX) throw error
      paper = await drawBill(error.input)
    }
  }
}

/** What a bill says as it stands now; mostly it is sent like that. */
async function readDraft(tx: Tx, bill_id: string): Promise<BillInput | null> {
  const bill = await tx.one(sql<BillRow>`select * from bills where id = ${bill_id}`)
  if (bill.status !== 'GENERATED') return null
  const due_on = dueWhenSent(tx, bill)
  return draftBill(tx, { ...bill, amount_prepaid: bill.amount_paid, due_on })
}

async function sendNow(
  tx: Tx,
  bill_id: string,
  since: Date | null,
  paper: DrawnBill,
): Promise<number> {
  const fresh = await refreshBill(tx, SERVICE, bill_id, since)
  if (fresh.status !== 'GENERATED') return 0
  await setOffCredits(tx, SERVICE, await putOffDueDay(tx, fresh))
  await markPrepaid(tx, [bill_id])
  const [bill] = await lockBills(tx, [bill_id])
  await issueBill(tx, bill!, paper)
  return 1
}

/** A bill whose partner sends its own stays VALIDATED until that has said so. */
async function issueBill(tx: Tx, bill: BillRow, paper: DrawnBill): Promise<void> {
  await move(tx, SERVICE, 'bill', [bill], 'validate')
  const written = await writeBill(tx, bill, paper)
  const { number: invoice_number, document_id } = written.input
  await setIssued(tx, bill.id, { invoice_number, document_id })
  if (await isSentByPartner(tx, bill.partner_id)) {
    await settleBills(tx, SERVICE, [{ ...bill, status: 'VALIDATED' }])
    return
  }
  const recipients = await mailBill(tx, bill, written)
  await setSent(tx, bill.id, tx.now, recipients)
  await makeDue(tx, SERVICE, bill)
}

/** A validated bill has gone to its payer: it is due, or paid already. */
export async function makeDue(tx: Tx, actor: Actor, bill: BillRow): Promise<void> {
  await move(tx, actor, 'bill', [{ ...bill, status: 'VALIDATED' }], 'send')
  await move(tx, actor, 'bill', [{ ...bill, status: 'SENT_TO_PAYER' }], 'make_due')
  await settleBills(tx, actor, [{ ...bill, status: 'TO_PAY' }])
}
