/** Goes on with the loans that waited for a borrower's KYB: decided anew, or declined. */
import { sql } from 'kysely'
import { changeLines, lockExposure } from '../credit-lines/index.ts'
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import { type Day, max } from '../kit/dates.ts'
import { invoicesOf, lockInvoices, readInvoices } from './invoice-facts.ts'
import { termsFor } from './judge.ts'
import { type Decision, decide, financesInvoices, type Wish } from './rules.ts'
import { type BorrowerFacts, readBorrowerFacts, readProducts, situationOf } from './situation.ts'
import { fixTerms, type LoanRow, lockLoans, setDenial, setReserved } from './store.ts'

export interface BorrowerFact {
  borrower_id: string
  partner_id: string
}

/** KYB is approved: every waiting loan is decided by the rules as they are now. */
export async function decideWaitingLoans(tx: Tx, fact: BorrowerFact, actor: Actor): Promise<void> {
  for (const loan of await lockLoansIn(tx, fact, ['PENDING_VALIDATION'])) {
    const decision = await decideAgain(tx, loan)
    if (decision.outcome === 'decline') await declineLoan(tx, actor, loan, decision.code)
    if (decision.outcome !== 'approve') continue
    await fixTerms(tx, loan.id)
    const trigger = loan.auto_validate ? 'approve' : 'require_validation'
    await move(tx, actor, 'loan', [loan], trigger)
    if (loan.auto_validate) enqueue(tx, 'prepare_loan', { loan_id: loan.id })
  }
}

/** KYB is rejected: whatever is not approved yet is declined. */
export async function declineWaitingLoans(tx: Tx, fact: BorrowerFact, actor: Actor): Promise<void> {
  for (const loan of await lockLoansIn(tx, fact, ['PENDING_VALIDATION', 'TO_VALIDATE'])) {
    await declineLoan(tx, actor, loan, 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  }
}

/** Decides on a locked loan by the rules as they are now; its own promise is no obstacle. */
export async function decideAgain(
  tx: Tx,
  loan: LoanRow,
  payee: Wish['payee'] = 'own',
): Promise<Decision> {
  const facts = (await readBorrowerFacts(tx, [loan.borrower_id])).get(loan.borrower_id)!
  const product = (await readProducts(tx)).get(loan.loan_type)
  const wish = {
    loan_type: loan.loan_type,
    amount: loan.amount,
    to_pay_on: loan.to_pay_on,
    to_repay_on: loan.to_repay_on,
    invoices: await invoicesAgain(tx, loan, facts),
    stray_invoices: false,
    payee,
  }
  const payout_on: Day = max(loan.to_pay_on, tx.today)
  return decide(wish, situationOf(tx.today, facts, product, payout_on, loan.reserved))
}

async function invoicesAgain(tx: Tx, loan: LoanRow, facts: BorrowerFacts) {
  if (!financesInvoices(loan.loan_type)) return []
  const ids = await invoicesOf(tx, loan.id)
  await lockInvoices(tx, ids)
  const invoices = await readInvoices(tx, ids, loan.id)
  return ids.map(id => termsFor(facts, invoices.get(id)!, true))
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

/**
 * The borrower's loans in these statuses, locked from the partner down before it looks, so that no
 * request in flight is overlooked.
 */
export async function lockLoansIn(
  tx: Tx,
  { partner_id, borrower_id }: BorrowerFact,
  statuses: readonly string[],
): Promise<LoanRow[]> {
  await lockExposure(tx, [partner_id], [borrower_id])
  const found = await tx.all(sql<{ id: string }>`
    select id from loans
    where borrower_id = ${borrower_id} and status = any(${statuses}::text[])`)
  const loans = await lockLoans(
    tx,
    found.map(loan => loan.id),
  )
  return loans.filter(loan => statuses.includes(loan.status))
}
