/** Moves a borrower from signing to READY. */
import { sql } from 'kysely'
import { publishFact } from '../../facts.ts'
import { move } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordProductEvents } from './record-product-events.ts'
import { lockBorrower } from './store.ts'

interface BorrowerKey {
  readonly borrower_id: string
  readonly partner_id: string
}

/**
 * Call after a borrower signs or a method is enabled. Does nothing if a SIGNED borrower has no
 * enabled method. Otherwise publishes `borrower_progressed`, whose reactions create the credit line
 * and make the borrower READY.
 */
export async function advanceBorrower(
  tx: Tx,
  { borrower_id, partner_id }: BorrowerKey,
): Promise<void> {
  const borrower = await lockBorrower(tx, partner_id, borrower_id)
  if (borrower?.status === 'SIGNED') {
    const methods = await readyMethods(tx, { partner_id, id: borrower_id })
    if (methods.length === 0) return
    const debit = methods.includes('DIRECT_DEBIT')
    await move(tx, 'borrower', [borrower], debit ? 'set_up_sdd' : 'set_up_payment')
  }
  await publishFact(tx, 'borrower_progressed', { borrower_id, partner_id })
}

/**
 * Makes the borrower READY if it has signed and has an enabled method and a line; otherwise does
 * nothing.
 */
export async function completeBorrower(
  tx: Tx,
  { borrower_id, partner_id }: BorrowerKey,
): Promise<void> {
  const borrower = await lockBorrower(tx, partner_id, borrower_id)
  if (borrower?.status !== 'SDD_SETUP' && borrower?.status !== 'ALL_PAYMENT_SETUP') return
  const { line } = await tx.one(sql<{ line: boolean }>`
    select exists (select from credit_lines
      where partner_id = ${partner_id} and borrower_id = ${borrower_id}) as line`)
  if (!line) return
  await move(tx, 'borrower', [borrower], 'make_ready')
  await recordProductEvents(tx, [borrower])
}

async function readyMethods(tx: Tx, { partner_id, id }: RowKey): Promise<string[]> {
  const rows = await tx.all(sql<{ payment_method: string }>`
    select payment_method from repayment_methods
    where partner_id = ${partner_id} and borrower_id = ${id} and status = 'READY'`)
  return rows.map(row => row.payment_method)
}
