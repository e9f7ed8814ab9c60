/** Deactivates a borrower for good, with its mandates and methods. */
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { move, type StatusHolder } from '../../../platform/db/move.ts'
import { haveKeys } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordProductEvents } from '../record-product-events.ts'
import { type BorrowerRow, setMain } from '../store.ts'

const REASON = 'borrower deactivated'

/**
 * Deactivates a borrower, its mandates and its methods. The caller has locked the borrower. Throws
 * `state_conflict` if it is already closed.
 */
export async function endBorrower(tx: Tx, borrower: BorrowerRow): Promise<void> {
  await move(tx, 'borrower', [borrower], 'deactivate')
  const mandates = await tx.all(sql<StatusHolder<'mandate'>>`
    select id, partner_id, status from mandates
    where ${haveKeys([borrower], 'mandates', 'borrower_id')} and status <> 'DEACTIVATED'
    order by id`)
  await move(tx, 'mandate', mandates, 'deactivate', REASON)
  const methods = await tx.all(sql<StatusHolder<'repayment_method'>>`
    select id, partner_id, status from repayment_methods
    where ${haveKeys([borrower], 'repayment_methods', 'borrower_id')} and status <> 'DEACTIVATED'
    order by id`)
  await move(tx, 'repayment_method', methods, 'deactivate', REASON)
  await setMain(tx, borrower, null)
  await recordProductEvents(tx, [borrower])
  const { id: borrower_id, partner_id } = borrower
  for (const { id: mandate_id } of mandates) {
    const because = 'deactivated'
    await publishFact(tx, 'mandate_ended', { partner_id, mandate_id, because })
  }
  await publishFact(tx, 'borrower_deactivated', { borrower_id, partner_id })
}
