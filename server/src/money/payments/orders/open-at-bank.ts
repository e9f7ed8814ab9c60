/** What the bank still has to execute or report, which forbids a change of the bank. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'

interface Open {
  readonly payments: bigint
  readonly to_processor: bigint
  readonly returns: bigint
}

/** What is open at the bank, in words; null if nothing is. */
export async function openAtBank(tx: Tx): Promise<string | null> {
  const open = await tx.one(sql<Open>`
    select
      (select count(*) from payments where status in ('INSTRUCTED', 'IN_TRANSIT')) as payments,
      (select count(*) from processor_payments where status = 'INSTRUCTED') as to_processor,
      (select count(*) from suspense_items where status = 'RETURNING') as returns`)
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
