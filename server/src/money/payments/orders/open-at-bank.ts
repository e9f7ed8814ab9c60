/** What the bank still has to execute or report, which forbids a change of the bank. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'

interface Open {
  readonly payments: bigint
  readonly to_processor: bigint
  readonly returns: bigint
}

/**
 * What is open at the bank, in words; null if nothing is. A payment without a stored order is not
 * at the bank, and can be sent to another one.
 */
export async function openAtBank(tx: Tx): Promise<string | null> {
  const open = await tx.one(sql<Open>`
    select
      (select count(*) from payments p
        where status in ('INSTRUCTED', 'IN_TRANSIT') and exists (select from bank_orders o
          where o.partner_id = p.partner_id and o.id = p.id)) as payments,
      (select count(*) from processor_payments p
        where status = 'INSTRUCTED' and exists (select from lender_orders o
          where o.id = p.id)) as to_processor,
      (select count(*) from suspense_items s
        where status = 'RETURNING' and exists (select from lender_orders o
          where o.id = s.return_order_id)) as returns`)
  const parts = [
    [open.payments, 'payments'],
    [open.to_processor, 'payments to the card processor'],
    [open.returns, 'returns of unmatched payments'],
  ] as const
  const left = parts.filter(([number]) => number > 0n)
  if (left.length === 0) return null
  return `${left.map(([number, what]) => `${number} ${what}`).join(', ')} are open`
}

/** Keeps every process from storing orders until the transaction ends. */
export async function stopNewOrders(tx: Tx): Promise<void> {
  await tx.run(sql`lock table bank_orders, lender_orders in share row exclusive mode`)
}
