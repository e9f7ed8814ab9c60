/** Write-offs, and proposals of them, that end because nothing is left to be lost. */
import { type Actor, move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LoanRow } from './store.ts'
import { lockNeedless, lockOpenWriteOff } from './write-off-store.ts'

/** Nothing of a locked loan is lent any more, so there is nothing to be lost. */
export async function endWriteOff(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  reason: string,
): Promise<void> {
  const open = await lockOpenWriteOff(tx, loan.id)
  if (!open) return
  const trigger = open.status === 'PROPOSED' ? 'reject' : 'end'
  await move(tx, actor, 'write_off', [open], trigger, reason)
}

/** A loan that is repaid is not lost: whoever proposed that needs nobody to agree any more. */
export async function rejectWriteOffsOf(
  tx: Tx,
  actor: Actor,
  loan_ids: readonly string[],
): Promise<void> {
  const needless = await lockNeedless(tx, loan_ids)
  await move(tx, actor, 'write_off', needless, 'reject', 'nothing is owed any more')
}
