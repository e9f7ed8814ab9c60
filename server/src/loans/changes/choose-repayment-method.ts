/** Collects a borrower's active loans by another method from now on. */
import { sql } from 'kysely'
import { type MethodInForce, methodsInForce, sameMeans } from '../../borrowers/index.ts'
import { type Actor, move } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { assert } from '../../kit/assert.ts'
import { frozenUntil, pendingDebits, splitFrozen } from '../../payments/index.ts'
import { lockLoanMoney } from '../money.ts'
import { planCollections } from '../repayment/plan-collections.ts'
import { type LoanRow, setMethod } from '../store.ts'
import { amendLoan } from './agree-repayment.ts'
import { describeChanges } from './changeable.ts'

interface Fact {
  borrower_id: string
  partner_id: string
  repayment_method_id: string
}

const SETTLED = ['CLOSED', 'DECLINED', 'CANCELED', 'DELETED', 'TO_REPAY_FEES']

/**
 * The change reaches every collection that is not frozen, a direct debit more than three TARGET
 * days ahead; amounts and dates stay (domain.md, rule 7).
 */
export async function chooseRepaymentMethod(tx: Tx, fact: Fact, actor: Actor): Promise<void> {
  const methods = (await methodsInForce(tx, [fact.borrower_id])).get(fact.borrower_id)
  const method = methods?.find(m => m.id === fact.repayment_method_id)
  assert(method, `method ${fact.repayment_method_id} is in force`)
  const active = await tx.all(sql<{ id: string }>`
    select id from loans where borrower_id = ${fact.borrower_id}
      and status <> all(${SETTLED}::text[])`)
  const loans = await lockLoanMoney(
    tx,
    active.map(a => a.id),
  )
  for (const loan of loans) {
    if (!SETTLED.includes(loan.status)) await chooseFor(tx, actor, loan, method)
  }
}

async function chooseFor(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  method: MethodInForce,
): Promise<void> {
  const { payment_method, mandate_id, wallet_id } = method
  if (payment_method === loan.repayment_method && sameMeans(method, loan)) return
  const frozen_until = frozenUntil(tx.today)
  const debits = splitFrozen(await pendingDebits(tx, loan.id), frozen_until)
  if (debits.frozen.length > 0 && debits.free.length === 0) return
  await move(tx, actor, 'payment', debits.free, 'cancel', 'another repayment method')
  await setMethod(tx, loan.id, method)
  await planCollections(tx, actor, [loan.id], { anew: false, free_from: frozen_until })
  const changes = describeChanges({
    repayment_method: [loan.repayment_method, payment_method],
    mandate: [loan.mandate_id ?? 'none', mandate_id ?? 'none'],
    wallet: [loan.wallet_id ?? 'none', wallet_id ?? 'none'],
  })
  await amendLoan(tx, actor, loan, changes)
}
