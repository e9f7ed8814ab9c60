/**
 * Puts orders that are due into files. One that cannot be written keeps no other back: it is
 * refused if it breaks a rule, else it waits and operators are alerted.
 */
import { clearAlert, raiseAlerts } from '../../../platform/alerts/index.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { sha256 } from '../../../platform/kit/crypto.ts'
import { FaultyOrderFile } from '../../bank-files/index.ts'
import { readOrder } from '../../ports/order-text.ts'
import type { FileBankParts } from './exchange.ts'
import { findUnwritable, type Unwritten } from './find-unwritable.ts'
import { isOfLender } from './order-file.ts'
import { OWN_TABLES } from './received-store.ts'
import { dueAt } from './rules.ts'
import { type DueOrder, insertFile, lockNextGroup, readDue, refuseOrders } from './store.ts'

type Done = 'nothing' | 'again' | { readonly file: DueOrder[] } | readonly Unwritten<DueOrder>[]

/** Writes one file after the other, each in a transaction; returns how many. */
export async function writeDueFiles(parts: FileBankParts): Promise<number> {
  const { database } = parts
  const free = await transaction(database, OWN_TABLES, tx => readFree(tx, parts))
  const unwritten: Unwritten<DueOrder>[] = []
  for (let files = 0; ; ) {
    const done = await transaction(database, OWN_TABLES, tx => writeNextFile(tx, parts, free))
    if (done === 'nothing') {
      await transaction(database, OWN_TABLES, tx => alertUnwritten(tx, unwritten))
      return files
    }
    if (done === 'again') continue
    const orders = 'file' in done ? done.file : done.flatMap(one => one.orders)
    for (const { payment_id } of orders) free.delete(payment_id)
    if ('file' in done) files++
    else unwritten.push(...done)
  }
}

/** The orders that are due and not held. */
async function readFree(tx: Tx, { writer, cutOffs, heldOrders }: FileBankParts) {
  const due = await readDue(tx, dueAt(tx.now, cutOffs, writer.profile.debit_lead_days))
  const held = due.length > 0 ? await heldOrders(tx, due) : new Set<string>()
  return new Set(due.flatMap(({ payment_id }) => (held.has(payment_id) ? [] : [payment_id])))
}

/**
 * Writes one file of the orders in `free`. From here on, its orders are in this file and never in
 * another, so this is the last check of what holds payments: no kill switch is activated between
 * it and the commit. The file is made before, because the switches wait meanwhile.
 */
async function writeNextFile(
  tx: Tx,
  { writer, cutOffs, heldOrders }: FileBankParts,
  free: Set<string>,
): Promise<Done> {
  const due = dueAt(tx.now, cutOffs, writer.profile.debit_lead_days)
  const orders = await lockNextGroup(tx, due, [...free], writer.profile.orders_max)
  const [group] = orders
  if (!group) return 'nothing'
  const id = tx.newId()
  const write = (some: readonly DueOrder[]) =>
    writer.write(
      { id, group, written_at: tx.now, orders: some.map(({ content }) => readOrder(content)) },
      tx.settings.lender,
    )
  const attempt = attempted(() => write(orders))
  if ('error' in attempt) {
    const refused = refusalsIn(attempt.error, orders)
    if (refused.length === 0) return findUnwritable(orders, write)
    await refuseOrders(tx, refused)
    await clearAlert(tx, 'orders_unwritten', ...refused.map(one => one.payment_id))
    return 'again'
  }
  const keys = orders.map(({ content }) => readOrder(content))
  const held = await heldOrders(tx, keys)
  for (const payment_id of held) free.delete(payment_id)
  if (held.size > 0) return 'again'
  const { name, message_id, bytes } = attempt.done
  const payment_ids = orders.map(({ payment_id }) => payment_id)
  const total = orders.reduce((sum, { amount }) => sum + amount, 0n)
  const { execute_on } = group
  const hash = sha256(bytes)
  const file = { id, name, message_id, bytes, sha256: hash, total, execute_on, payment_ids }
  await insertFile(tx, file)
  await clearAlert(tx, 'orders_unwritten', ...payment_ids)
  return { file: orders }
}

function attempted<T>(work: () => T): { readonly done: T } | { readonly error: unknown } {
  try {
    return { done: work() }
  } catch (error) {
    return { error }
  }
}

/** The orders that break a rule, each with the reason (ISO 20022) of its first fault. */
function refusalsIn(error: unknown, orders: readonly DueOrder[]) {
  // The lender's own data refuses no payment. Orders wait until it is corrected.
  if (!(error instanceof FaultyOrderFile) || error.faults.some(isOfLender)) return []
  const reasons = new Map<string, string>()
  for (const { end_to_end_id, reason_code } of error.faults) {
    if (end_to_end_id !== null && !reasons.has(end_to_end_id)) {
      reasons.set(end_to_end_id, reason_code)
    }
  }
  return orders.flatMap(({ payment_id, end_to_end_id }) => {
    const reason_code = reasons.get(end_to_end_id)
    return reason_code === undefined ? [] : [{ payment_id, reason_code }]
  })
}

async function alertUnwritten(tx: Tx, unwritten: readonly Unwritten<DueOrder>[]): Promise<void> {
  const about = unwritten.map(({ orders, error }) => {
    const [first] = orders
    const more = orders.length > 1 ? ` and ${orders.length - 1} others of its group` : ''
    const detail = `The order ${first!.end_to_end_id}${more} cannot be put into a file`
    return { subject_id: first!.payment_id, detail: `${detail}: ${error.message}` }
  })
  await raiseAlerts(tx, 'orders_unwritten', about)
}
