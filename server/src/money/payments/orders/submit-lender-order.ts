/** Sends one of the lender's own orders to the bank and records the bank's answer. */
import type { Context } from '../../../context.ts'
import type { PaymentOrder } from '../../../integrations/ports/bank.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { sendOrder } from './send-order.ts'
import { storeLenderOrder } from './store.ts'

export type LenderOrder = Pick<PaymentOrder, 'payment_id' | 'account' | 'amount' | 'references'> & {
  readonly to: { readonly iban: string; readonly name: string }
}

/**
 * Sends what `read` returns, unless it is null. Safe to repeat: the order's id is the bank's
 * idempotency key, and every attempt sends the order that the first one stored. Throws if the
 * outcome is unknown or the bank has another order under the id.
 */
export async function submitLenderOrder(
  context: Context,
  read: (tx: Tx) => Promise<LenderOrder | null>,
  mark: (tx: Tx) => Promise<void>,
): Promise<void> {
  const take = async (tx: Tx) => {
    const order = await read(tx)
    return order && (await storeLenderOrder(tx, orderOf(tx, order)))
  }
  const isAwaited = async (tx: Tx) => (await read(tx)) !== null
  await sendOrder(context, { take, isAwaited, mark })
}

function orderOf(
  tx: Tx,
  { payment_id, account, amount, references, to }: LenderOrder,
): PaymentOrder {
  return {
    payment_id,
    account,
    amount,
    references,
    partner_id: LENDER_ID,
    kind: 'SCT',
    direction: 'OUT',
    currency: 'EUR',
    counterparty: { ...to, bic: '' },
    requested_on: tx.today,
    loan_ids: [],
    mandate: null,
  }
}
