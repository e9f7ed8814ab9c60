/** Validates and sends the month's bills, once the first banking day's statements are in. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { type Day, yearOf } from '../kit/dates.ts'
import { refreshBill } from './refresh-bill.ts'
import { sendingDay } from './rules.ts'
import { type BillRow, lockBills, markPrepaid, nextInvoiceNumber, setIssued } from './store.ts'
import { settleBill } from './sync-bill-lines.ts'
import { writeBill } from './write-bill.ts'

const SERVICE: Actor = 'service'

/** Sends what is GENERATED from the first banking day of the month on; answers how many. */
export async function sendBills(database: Database, today: Day): Promise<number> {
  if (today < sendingDay(today)) return 0
  for (let sent = 0; ; sent++) {
    const one = await transaction(database, { partners: '*' }, tx => sendNext(tx))
    if (!one) return sent
  }
}

async function sendNext(tx: Tx): Promise<boolean> {
  const next = await tx.maybe(sql<{ id: string }>`
    select id from bills where status = 'GENERATED' order by id limit 1`)
  if (!next) return false
  const { status } = await refreshBill(tx, SERVICE, next.id)
  await markPrepaid(tx, [next.id])
  const [bill] = await lockBills(tx, [next.id])
  if (status === 'GENERATED') await sendBill(tx, bill!)
  return true
}

async function sendBill(tx: Tx, bill: BillRow): Promise<void> {
  await move(tx, SERVICE, 'bill', [bill], 'validate')
  const invoice_number = await nextInvoiceNumber(tx, yearOf(tx.today))
  const document_id = await writeBill(tx, { ...bill, invoice_number })
  await setIssued(tx, bill.id, { invoice_number, document_id })
  await move(tx, SERVICE, 'bill', [{ ...bill, status: 'VALIDATED' }], 'send')
  await move(tx, SERVICE, 'bill', [{ ...bill, status: 'SENT_TO_PAYER' }], 'make_due')
  await settleBill(tx, SERVICE, { ...bill, status: 'TO_PAY' })
}
