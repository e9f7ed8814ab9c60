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

type Done = 'nothing' | 'file' | 'refusals' | readonly Unwritten<DueOrder>[]

/** Writes one file after the other, each in a transaction; returns how many. */
export async function writeDueFiles(parts: FileBankParts): Promise<number> {
  const unwritten: Unwritten<DueOrder>[] = []
  for (let files = 0; ; ) {
    const left_out = unwritten.flatMap(({ orders }) => orders.map(order => order.payment_id))
    const done = await transaction(parts.database, OWN_TABLES, tx =>
      writeNextFile(tx, parts, left_out),
    )
    if (done === 'nothing') {
      await transaction(parts.database, OWN_TABLES, tx => alertUnwritten(tx, unwritten))
      return files
    }
    if (done === 'file') files++
    else if (done !== 'refusals') unwritten.push(...done)
  }
}

/**
 * Writes one file without the orders in `left_out`. From here on, its orders are in this file and
 * never in another, so this is the last check of what holds payments: no kill switch is activated
 * until the transaction ends.
 */
async function writeNextFile(
  tx: Tx,
  { writer, cutOffs, heldOrders }: FileBankParts,
  left_out: readonly string[],
): Promise<Done> {
  const due = dueAt(tx.now, cutOffs, writer.profile.debit_lead_days)
  const waiting = await readDue(tx, due)
  if (waiting.length === 0) return 'nothing'
  const without = new Set([...left_out, ...(await heldOrders(tx, waiting))])
  const free = waiting.map(one => one.payment_id).filter(id => !without.has(id))
  const orders = await lockNextGroup(tx, due, free, writer.profile.orders_max)
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
    return 'refusals'
  }
  const { name, message_id, bytes } = attempt.done
  const payment_ids = orders.map(({ payment_id }) => payment_id)
  const total = orders.reduce((sum, { amount }) => sum + amount, 0n)
  const { execute_on } = group
  const hash = sha256(bytes)
  const file = { id, name, message_id, bytes, sha256: hash, total, execute_on, payment_ids }
  await insertFile(tx, file)
  await clearAlert(tx, 'orders_unwritten', ...payment_ids)
  return 'file'
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
