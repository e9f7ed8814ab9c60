/** Goes on with the loans that waited for a borrower's KYB: decided anew, or declined. */
import { sql } from 'kysely'
import { changeLines } from '../credit-lines/index.ts'
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import { type Day, max } from '../kit/dates.ts'
import { lockLoanMoney } from './money.ts'
import { decide } from './rules.ts'
import { readBorrowerFacts, readProducts, situationOf } from './situation.ts'
import { type LoanRow, setDenial, setReserved } from './store.ts'

interface Fact {
  borrower_id: string
  partner_id: string
}

/** KYB is approved: every waiting loan is decided by the rules as they are now. */
export async function decideWaitingLoans(tx: Tx, fact: Fact, actor: Actor): Promise<void> {
  for (const loan of await lockWaiting(tx, fact)) {
    // Read anew for each: the one before may have taken of the same line.
    const facts = (await readBorrowerFacts(tx, [loan.borrower_id])).get(loan.borrower_id)!
    const product = (await readProducts(tx)).get(loan.loan_type)
    const wish = {
      loan_type: loan.loan_type,
      amount: loan.amount,
      to_pay_on: loan.to_pay_on,
      to_repay_on: loan.to_repay_on,
      installments: false,
      payee: 'own' as const,
    }
    const payout_on: Day = max(loan.to_pay_on, tx.today)
    const now = situationOf(tx.today, facts, product, payout_on, loan.reserved)
    const decision = decide(wish, now)
    if (decision.outcome === 'decline') await declineLoan(tx, actor, loan, decision.code)
    if (decision.outcome !== 'approve') continue
    const trigger = loan.auto_validate ? 'approve' : 'require_validation'
    await move(tx, actor, 'loan', [loan], trigger)
    if (loan.auto_validate) enqueue(tx, 'prepare_loan', { loan_id: loan.id })
  }
}

/** KYB is rejected: whatever waits is declined. */
export async function declineWaitingLoans(tx: Tx, fact: Fact, actor: Actor): Promise<void> {
  for (const loan of await lockWaiting(tx, fact)) {
    await declineLoan(tx, actor, loan, 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  }
}

/** Declines a locked loan and gives its headroom back. */
export async function declineLoan(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  code: string,
): Promise<void> {
  await setDenial(tx, loan.id, code)
  await move(tx, actor, 'loan', [loan], 'decline', code)
  await releaseHeadroom(tx, loan)
}

/** What a loan that will not be paid out held on its line is free again. */
export async function releaseHeadroom(tx: Tx, loan: LoanRow): Promise<void> {
  if (!loan.credit_line_id || loan.reserved === 0n) return
  await setReserved(tx, loan.id, 0n)
  await changeLines(tx, [
    { credit_line_id: loan.credit_line_id, outstanding: 0n, reserved: -loan.reserved },
  ])
}

async function lockWaiting(tx: Tx, { borrower_id }: Fact): Promise<LoanRow[]> {
  const waiting = await tx.all(sql<{ id: string }>`
    select id from loans where borrower_id = ${borrower_id} and status = 'PENDING_VALIDATION'`)
  const loans = await lockLoanMoney(
    tx,
    waiting.map(w => w.id),
  )
  return loans.filter(loan => loan.status === 'PENDING_VALIDATION')
}
