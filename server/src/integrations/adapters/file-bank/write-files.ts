/** Puts orders that are due into files. */
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { sha256 } from '../../../platform/kit/crypto.ts'
import { readOrder } from '../../ports/order-text.ts'
import type { OrderFileWriter } from './order-file.ts'
import { OWN_TABLES } from './received-store.ts'
import { type CutOffs, dueAt } from './rules.ts'
import { insertFile, lockNextGroup } from './store.ts'
import { underAlert } from './under-alert.ts'

/**
 * Writes one file after the other, each in a transaction; returns how many. If one cannot be
 * written, none after it is, and operators are alerted.
 */
export async function writeDueFiles(
  database: Database,
  writer: OrderFileWriter,
  cutOffs: CutOffs,
): Promise<number> {
  const write = (tx: Tx) => writeNextFile(tx, writer, cutOffs)
  const alert = { kind: 'orders_unwritten', what: 'Orders cannot be put into a file' } as const
  return underAlert(database, alert, async () => {
    let files = 0
    while (await transaction(database, OWN_TABLES, write)) files++
    return files
  })
}

/** From here on, the orders are in this file and never in another. */
async function writeNextFile(tx: Tx, writer: OrderFileWriter, cutOffs: CutOffs): Promise<boolean> {
  const { orders_max, debit_lead_days } = writer.profile
  const orders = await lockNextGroup(tx, dueAt(tx.now, cutOffs, debit_lead_days), orders_max)
  const [first] = orders
  if (!first) return false
  const { kind, scheme, sequence_type, execute_on } = first
  const id = tx.newId()
  const { name, message_id, bytes } = writer.write({
    id,
    kind,
    scheme,
    sequence_type,
    execute_on,
    written_at: tx.now,
    orders: orders.map(({ content, end_to_end_id }) => ({
      order: readOrder(content),
      end_to_end_id,
    })),
  })
  await insertFile(tx, {
    id,
    name,
    message_id,
    bytes,
    sha256: sha256(bytes),
    total: orders.reduce((sum, { amount }) => sum + amount, 0n),
    execute_on,
    payment_ids: orders.map(({ payment_id }) => payment_id),
  })
  return true
}
