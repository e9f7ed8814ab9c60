/** Sends one of the lender's own orders to the bank and records the result. */

import type { Context } from '../../context.ts'
import type { PaymentOrder } from '../../integrations/ports/bank.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { receiveBankNews } from './receive-bank-news.ts'

export type LenderOrder = Pick<PaymentOrder, 'payment_id' | 'amount' | 'references'> & {
  readonly to: { readonly iban: string; readonly name: string }
}

/**
 * Safe to repeat: the order's id is the bank's idempotency key. Throws if the outcome is unknown.
 */
export async function submitLenderOrder(
  { database, ports }: Context,
  { payment_id, amount, references, to }: LenderOrder,
  mark: (tx: Tx) => Promise<void>,
): Promise<void> {
  const all = { partners: '*' } as const
  const today = await transaction(database, { ...all, read_only: true }, async tx => tx.today)
  const outcome = await ports.bank.submit({
    payment_id,
    amount,
    references,
    partner_id: LENDER_ID,
    kind: 'SCT',
    direction: 'OUT',
    currency: 'EUR',
    counterparty: { ...to, bic: '' },
    requested_on: today,
    loan_ids: [],
    mandate: null,
  })
  if (outcome.state === 'unknown') throw new Error(`the bank did not answer for ${payment_id}`)
  await transaction(database, all, async tx => {
    await mark(tx)
    if (outcome.state !== 'refused') return
    const refusal = { payment_id, amount, value_on: tx.today, reason_code: outcome.reason_code }
    await receiveBankNews(tx, [
      { ...refusal, bank_reference: `refused-${payment_id}`, kind: 'REJECTED', raw: {} },
    ])
  })
}
