/** Who a transfer pays: what it names, or the loan whose account it was sent to; no guess. */
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { type BankNewsRow, suspend } from '../payments/index.ts'
import type { Transfer } from '../ports/bank.ts'
import { findPaid } from './named.ts'
import { doubt, lockNamed, payNamed } from './pay-named.ts'

/** Books a transfer: bills first, then loans by due date; what is left is given back. */
export async function attributeTransfer(
  tx: Tx,
  { news }: { news: BankNewsRow },
  actor: Actor,
): Promise<void> {
  const transfer = news.raw as unknown as Transfer
  const found = await findPaid(tx, transfer)
  // Read again under the locks: what is divided must not change meanwhile.
  await lockNamed(tx, found)
  const named = await findPaid(tx, transfer)
  const reason = doubt(named, news.amount)
  if (reason) await suspend(tx, news, reason, news.amount)
  else await payNamed(tx, actor, news, transfer, named)
}
