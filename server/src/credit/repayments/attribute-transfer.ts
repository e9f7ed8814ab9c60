/** Attributes an incoming transfer to debts, to the lender's funding, or to suspense. */
import type { Transfer } from '../../integrations/ports/bank.ts'
import {
  type BankNewsRow,
  isFunding,
  moveToSuspense,
  receiveFromFormer,
  receiveFunding,
} from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LockedLoan } from '../loans/index.ts'
import { lockTargets, payTargets, reasonNotToAttribute } from './pay-targets.ts'
import { findTargetsOfTransfer, type PaymentTarget } from './payment-targets.ts'

/**
 * Pays a transfer's targets in order, found by its text or receiving account; the rest is refunded.
 * A transfer without targets is funding if it came from where the owner's capital comes from, and
 * own cash if it came from a former account of the lender. An unclear transfer goes to suspense
 * with the reason.
 */
export async function attributeTransfer(tx: Tx, { news }: { news: BankNewsRow }): Promise<void> {
  const transfer = news.raw as unknown as Transfer
  const found = await findTargetsOfTransfer(tx, transfer)
  const loans = await lockTargets(tx, found)
  const targets = await recheckTargets(tx, transfer, found, loans)
  if (targets.length === 0 && isFunding(tx, transfer)) return receiveFunding(tx, news)
  if (targets.length === 0 && (await receiveFromFormer(tx, news, transfer))) return
  const reason = reasonNotToAttribute(targets, news.amount)
  if (reason) await moveToSuspense(tx, news, reason)
  else await payTargets(tx, news, transfer, targets, loans)
}

/**
 * The targets of a transfer, read again under the locks: a loan may have been paid, or a bill
 * replaced, meanwhile.
 */
async function recheckTargets(
  tx: Tx,
  transfer: Transfer,
  found: readonly PaymentTarget[],
  loans: readonly LockedLoan[],
): Promise<readonly PaymentTarget[]> {
  // An installment needs no second lookup: at most its plan has ended meanwhile, which is checked
  // when the plan is read.
  if (found[0]?.kind === 'installment') return found
  if (found.some(one => one.kind !== 'loan' || one.how === 'contract')) {
    return findTargetsOfTransfer(tx, transfer)
  }
  return found.map(one => ({ ...one, status: loans.find(loan => loan.id === one.id)!.status }))
}
