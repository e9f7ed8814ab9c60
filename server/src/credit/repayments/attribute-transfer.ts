/** Attributes a transfer to what it names, to the loan with its account, or to the lender. */
import { type BankNewsRow, isFunding, receiveFunding, suspend } from '../../money/payments/index.ts'
import type { Transfer } from '../../outside/ports/bank.ts'
import type { Actor } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { findPaid } from './named.ts'
import { doubt, lockNamed, payNamed } from './pay-named.ts'

/**
 * Books a transfer: bills first, then loans by due date; the rest is refunded. A transfer that
 * names nothing is funding if it came from one of the lender's own accounts; otherwise it goes to
 * suspense with its reason. Source: domain.md, Repayment.
 */
export async function attributeTransfer(
  tx: Tx,
  { news }: { news: BankNewsRow },
  actor: Actor,
): Promise<void> {
  const transfer = news.raw as unknown as Transfer
  const found = await findPaid(tx, transfer)
  const loans = await lockNamed(tx, found)
  const named = found.every(one => one.kind === 'loan' && one.how !== 'contract')
    ? found.map(one => ({ ...one, status: loans.find(loan => loan.id === one.id)!.status }))
    : // Read again under the locks: a bill may have been replaced or a plan ended meanwhile.
      await findPaid(tx, transfer)
  if (named.length === 0 && isFunding(tx, transfer)) return receiveFunding(tx, news)
  const reason = doubt(named, news.amount)
  if (reason) await suspend(tx, news, reason, news.amount)
  else await payNamed(tx, actor, news, transfer, named, loans)
}
