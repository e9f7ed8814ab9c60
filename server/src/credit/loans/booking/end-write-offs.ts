/** Ends write-offs, and rejects proposals, once there is nothing left to write off. */
import { move } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { LoanRow } from '../store.ts'
import { lockOpenWriteOff, lockSettledProposals } from './write-off-store.ts'

/**
 * Ends the write-off of a locked loan whose payout was returned or that no longer has principal.
 * Rejects it if it is only proposed.
 */
export async function endWriteOff(tx: Tx, loan: LoanRow, reason: string): Promise<void> {
  const open = await lockOpenWriteOff(tx, loan)
  if (!open) return
  const trigger = open.status === 'PROPOSED' ? 'reject' : 'end'
  await move(tx, 'write_off', [open], trigger, reason)
}

/** Rejects pending proposals for loans that were repaid. */
export async function rejectWriteOffsOf(tx: Tx, loans: readonly RowKey[]): Promise<void> {
  const needless = await lockSettledProposals(tx, loans)
  await move(tx, 'write_off', needless, 'reject', 'nothing is owed any more')
}
