/** Sends a stored order to the bank and records the bank's answer. */
import type { Context } from '../../../context.ts'
import { accountOf } from '../../../integrations/ports/bank.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { receiveBankNews } from '../receive-bank-news.ts'
import type { StoredOrder } from './store.ts'

const ALL = { partners: '*', actor: 'service' } as const

interface Sending {
  /** Returns the stored order to send; null if none is to be sent now. */
  take(tx: Tx): Promise<StoredOrder | null>
  /** Whether the bank's answer or news is still awaited. */
  isAwaited(tx: Tx): Promise<boolean>
  /** Records that the bank has answered. */
  mark(tx: Tx): Promise<void>
}

/**
 * Sends the order that `take` returns. Throws if the outcome is unknown or the bank has a different
 * order under the same id, so that the job is retried: the bank may still execute an order.
 */
export async function sendOrder(
  { database, ports }: Context,
  { take, isAwaited, mark }: Sending,
): Promise<void> {
  const taken = await transaction(database, ALL, take)
  if (!taken) return
  const { payment_id, amount } = taken.order
  const outcome = await ports.bank.submit(taken.order)
  if (outcome.state === 'unknown') throw new Error(`the bank did not answer for ${payment_id}`)
  if (outcome.state === 'conflict') {
    await transaction(database, ALL, async tx => {
      if (await isAwaited(tx)) await alertConflict(tx, payment_id)
    })
    throw new Error(`the bank has another order for ${payment_id}`)
  }
  await transaction(database, ALL, async tx => {
    await mark(tx)
    if (taken.is_repeated) await clearAlert(tx, 'order_conflict', payment_id)
    if (outcome.state !== 'refused') return
    await receiveBankNews(tx, [
      {
        bank_reference: `refused-${payment_id}`,
        account_iban: tx.settings.bank_accounts[accountOf(taken.order)].iban,
        kind: 'REJECTED',
        payment_id,
        amount,
        direction: null,
        booked_on: tx.today,
        value_on: tx.today,
        reason_code: outcome.reason_code,
        raw: {},
      },
    ])
  })
}

async function alertConflict(tx: Tx, payment_id: string): Promise<void> {
  const detail = `The bank has another order for ${payment_id}. Ask it which one it executes`
  await raiseAlert(tx, 'order_conflict', payment_id, detail)
}
