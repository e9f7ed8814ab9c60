/** Validates and sends the month's bills, once the first banking day's statements are in. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { type Day, yearOf } from '../kit/dates.ts'
import { refreshBill } from './refresh-bill.ts'
import { sendingDay } from './rules.ts'
import {
  type BillRow,
  lockBills,
  markPrepaid,
  nextInvoiceNumber,
  setIssued,
  setSent,
} from './store.ts'
import { settleBills } from './sync-bill-lines.ts'
import { mailBill, writeBill } from './write-bill.ts'

const SERVICE: Actor = 'service'

/**
 * Sends what is GENERATED from the first banking day of the month on; answers how many. A bill
 * that cannot be sent does not hold up the others: they go, and its failure is thrown at the end.
 */
export async function sendBills(database: Database, today: Day): Promise<number> {
  if (today < sendingDay(today)) return 0
  const all = { partners: '*' } as const
  const failures: unknown[] = []
  let after = '00000000-0000-0000-0000-000000000000'
  for (let sent = 0; ; ) {
    const next = await transaction(database, { ...all, read_only: true }, tx =>
      nextAfter(tx, after),
    )
    if (!next) {
      if (failures.length > 0) throw new AggregateError(failures, 'bills that cannot be sent')
      return sent
    }
    after = next
    const send = transaction(database, all, tx => sendBill(tx, next))
    sent += await send.catch(error => {
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

/** Sends one bill as it then is, unless that was done; answers how many were sent. */
export async function sendBill(tx: Tx, bill_id: string): Promise<number> {
  const { status } = await refreshBill(tx, SERVICE, bill_id)
  if (status !== 'GENERATED') return 0
  await markPrepaid(tx, [bill_id])
  const [bill] = await lockBills(tx, [bill_id])
  await issueBill(tx, bill!)
  return 1
}

/** A bill whose partner sends its own stays VALIDATED until that has said so. */
async function issueBill(tx: Tx, bill: BillRow): Promise<void> {
  await move(tx, SERVICE, 'bill', [bill], 'validate')
  const invoice_number = await nextInvoiceNumber(tx, yearOf(tx.today))
  const written = await writeBill(tx, { ...bill, invoice_number })
  await setIssued(tx, bill.id, { invoice_number, document_id: written.input.document_id })
  if (await isSentByPartner(tx, bill.partner_id)) {
    await settleBills(tx, SERVICE, [{ ...bill, status: 'VALIDATED' }])
    return
  }
  const recipients = await mailBill(tx, bill, written)
  await setSent(tx, bill.id, tx.now, recipients)
  await makeDue(tx, SERVICE, bill)
}

async function isSentByPartner(tx: Tx, partner_id: string): Promise<boolean> {
  const company = await tx.maybe(sql<{ sends_bills: boolean }>`
    select sends_bills from partner_companies where partner_id = ${partner_id}`)
  return company?.sends_bills ?? false
}

/** A validated bill has gone to its payer: it is due, or paid already. */
export async function makeDue(tx: Tx, actor: Actor, bill: BillRow): Promise<void> {
  await move(tx, actor, 'bill', [{ ...bill, status: 'VALIDATED' }], 'send')
  await move(tx, actor, 'bill', [{ ...bill, status: 'SENT_TO_PAYER' }], 'make_due')
  await settleBills(tx, actor, [{ ...bill, status: 'TO_PAY' }])
}
