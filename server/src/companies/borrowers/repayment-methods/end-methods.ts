/** Deactivates the methods of ended mandates and chooses another main method. */
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { move, type StatusHolder } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordProductEvents } from '../record-product-events.ts'
import { setMain } from '../store.ts'

/**
 * Deactivates the methods of these mandates, and replaces main methods among them. The caller has
 * locked the borrowers.
 */
export async function endMethods(
  tx: Tx,
  borrowers: readonly (StatusHolder<'borrower'> & RowKey)[],
  mandate_ids: readonly string[],
  reason: string,
): Promise<void> {
  const methods = await tx.all(sql<
    StatusHolder<'repayment_method'> & { borrower_id: string; is_main: boolean }
  >`
    select id, partner_id, borrower_id, status, is_main from repayment_methods
    where ${haveKeys(borrowers, 'repayment_methods', 'borrower_id')}
      and mandate_id = any(${mandate_ids}::uuid[]) and status <> 'DEACTIVATED'
    order by id`)
  await move(tx, 'repayment_method', methods, 'deactivate', reason)
  for (const borrower of borrowers) {
    const lost = methods.some(m => m.borrower_id === borrower.id && m.is_main)
    if (lost) await replaceMain(tx, borrower, reason)
  }
}

/**
 * Makes another READY method the main one: the oldest direct debit, or else the oldest method.
 * Without one, a borrower that was set up returns to SIGNED.
 */
async function replaceMain(
  tx: Tx,
  borrower: StatusHolder<'borrower'> & RowKey,
  reason: string,
): Promise<void> {
  const next = await tx.maybe(sql<{ id: string }>`
    select id from repayment_methods
    where ${haveKeys([borrower], 'repayment_methods', 'borrower_id')} and status = 'READY'
    order by payment_method <> 'DIRECT_DEBIT', id limit 1`)
  await setMain(tx, borrower, next?.id ?? null)
  const { id: borrower_id, partner_id } = borrower
  await publishFact(tx, 'main_method_replaced', { borrower_id, partner_id })
  if (next || !['SDD_SETUP', 'ALL_PAYMENT_SETUP', 'READY'].includes(borrower.status)) return
  await move(tx, 'borrower', [borrower], 'lose_payment_method', reason)
  await recordProductEvents(tx, [borrower])
}
