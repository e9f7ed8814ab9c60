/** Creates a pay-by-link URL for an amount that is owed on a partner's loans. */
import type { RepayNowBody } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { fromWire } from '../../platform/kit/money.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { type LoanRow, payoffsOf } from '../loans/index.ts'
import { repayAddress } from './repay-address.ts'
import { insertLink, insertTerms } from './store.ts'

/**
 * Returns the URL. The request contains no loans, so it concerns all loans of the partner. The
 * loans needed to cover the amount, oldest due date first, are recorded as terms.
 */
export async function repayNow(
  tx: Tx,
  partner_id: string,
  body: RepayNowBody,
  loans: readonly LoanRow[],
): Promise<string> {
  const terms = await insertTerms(tx, {
    partner_id,
    reason: 'LOAN_REPAYMENT_BY_PAY_BY_LINK',
    loans: loans.map(loan => ({ id: loan.id, repayment_on: loan.falls_due_on })),
  })
  const id = tx.newId()
  const { base_callback_url: callback_url } = body
  const amount = fromWire(body.amount)
  const link = { id, partner_id, terms_id: terms.id, amount, callback_url, created_at: tx.now }
  await insertLink(tx, link)
  return repayAddress(tx.settings, id)
}

/**
 * The loans needed to cover the requested amount, by what they owe today. Throws `state_conflict`
 * if nothing is owed, and `request_invalid` if all loans together owe less.
 */
export async function loansCovering(
  tx: Tx,
  partner_id: string,
  amount: bigint,
): Promise<LoanRow[]> {
  const open = await tx.all(sql<LoanRow>`
    select * from loans where partner_id = ${partner_id} and status in ('TO_REPAY', 'TO_REPAY_FEES')
    order by falls_due_on, id`)
  const payoffs = await payoffsOf(tx, open, tx.today)
  const loans: LoanRow[] = []
  let owed = 0n
  for (const loan of open) {
    if (owed >= amount) break
    const { principal, interest } = payoffs.get(loan.id)!
    if (principal + interest === 0n) continue
    owed += principal + interest
    loans.push(loan)
  }
  if (owed === 0n) throw problem('state_conflict', 'nothing is owed: there is nothing to repay')
  if (amount > owed) throw invalid({ name: 'amount', reason: `is more than is owed, ${owed}` })
  return loans
}
