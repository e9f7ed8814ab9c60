/** Decides loans that waited for KYB or an invoice, and declines loans not approved yet. */
import { sql } from 'kysely'
import { changeLines, lockExposure } from '../../../companies/credit-lines/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { type Day, max } from '../../../platform/kit/dates.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { lockLoanMoney } from '../booking/money.ts'
import type { Fees } from '../payer.ts'
import { recordLimitEvents } from '../repayments/follow-invoices.ts'
import { fixTerms, type LockedLoan, setDenial, setReserved } from '../store.ts'
import { invoiceTermsFor } from './decide-requests.ts'
import {
  type BorrowerFacts,
  decisionInputsOf,
  feesOf,
  readBorrowerFacts,
  readProducts,
} from './decision-inputs.ts'
import { invoicesOf, lockInvoices, readInvoices } from './invoice-facts.ts'
import type { FinancedInvoice } from './invoice-rules.ts'
import { type Decision, decide, type LoanApplication } from './rules.ts'

export interface BorrowerKey {
  borrower_id: string
  partner_id: string
}

/** Decides the borrower's loans that wait for a decision, after its KYB has been approved. */
export async function decideWaitingLoans(tx: Tx, fact: BorrowerKey): Promise<void> {
  for (const loan of await lockLoansIn(tx, fact, ['PENDING_VALIDATION'])) {
    await decideWaiting(tx, loan)
  }
}

/** Decides the loans that waited for an invoice, after it has been verified or declined. */
export async function decideLoansOn(
  tx: Tx,
  { partner_id, invoice_id }: { partner_id: string; invoice_id: string },
): Promise<void> {
  const found = await tx.all(sql<RowKey>`
    select l.partner_id, l.id from invoice_loans f
    join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
    where f.partner_id = ${partner_id} and f.invoice_id = ${invoice_id}
      and l.status = 'PENDING_VALIDATION' order by l.id`)
  const loans = await lockLoanMoney(tx, found)
  for (const loan of loans) {
    if (loan.status === 'PENDING_VALIDATION') await decideWaiting(tx, loan)
  }
}

async function decideWaiting(tx: Tx, loan: LockedLoan): Promise<void> {
  const decision = await redecideLoan(tx, loan)
  if (decision.outcome === 'decline') await declineLoans(tx, [loan], decision.code)
  if (decision.outcome !== 'approve') return
  await fixTerms(tx, loan, decision.fees)
  const trigger = loan.auto_validate ? 'approve' : 'require_validation'
  await move(tx, 'loan', [loan], trigger)
  const { partner_id, id: loan_id } = loan
  if (loan.auto_validate) enqueue(tx, 'prepare_loan', { partner_id, loan_id }, partner_id)
}

/** Declines a borrower's loans that are not approved yet, because of a compliance issue. */
export async function declineWaitingLoans(tx: Tx, fact: BorrowerKey): Promise<void> {
  const loans = await lockLoansIn(tx, fact, ['PENDING_VALIDATION', 'TO_VALIDATE'])
  await declineLoans(tx, loans, 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
}

/**
 * Decides a locked loan by the current rules, as if it reserved no credit yet. Also returns the
 * current fee terms.
 */
export async function redecideLoan(
  tx: Tx,
  loan: LockedLoan,
  payee: LoanApplication['payee'] = 'own',
): Promise<Decision & { fees: Fees }> {
  const { partner_id, borrower_id: id } = loan
  const facts = (await readBorrowerFacts(tx, [{ partner_id, id }])).get(id)!
  const product = (await readProducts(tx)).get(loan.loan_type)
  const application = {
    loan_type: loan.loan_type,
    amount: loan.amount,
    to_pay_on: loan.to_pay_on,
    to_repay_on: loan.to_repay_on,
    invoices: await invoicesAgain(tx, loan, facts),
    stray_invoices: false,
    payee,
  }
  const payout_on: Day = max(loan.to_pay_on, tx.today)
  const decision = decide(
    application,
    decisionInputsOf(tx.today, facts, product, payout_on, loan.reserved),
  )
  return { ...decision, fees: feesOf(facts, product) }
}

async function invoicesAgain(tx: Tx, loan: LockedLoan, facts: BorrowerFacts) {
  if (!financesInvoices(loan.loan_type)) return []
  const keys = await invoicesOf(tx, loan)
  await lockInvoices(tx, keys)
  const invoices = await readInvoices(tx, keys, loan.id)
  return keys.map(({ id }) => invoiceTermsFor(facts, asSubmitted(invoices.get(id)!), true))
}

/**
 * Treats an invoice that is being edited as submitted, so that loans already requested wait for it.
 */
function asSubmitted(invoice: FinancedInvoice): FinancedInvoice {
  return invoice.status === 'TO_EDIT' ? { ...invoice, status: 'SUBMITTED' } : invoice
}

export async function declineLoans(
  tx: Tx,
  loans: readonly LockedLoan[],
  code: string,
): Promise<void> {
  if (loans.length === 0) return
  setDenial(tx, loans, code)
  await move(tx, 'loan', loans, 'decline', code)
  await releaseReservedCredit(tx, loans)
}

/** Frees the credit reserved by loans that will not be paid out. */
export async function releaseReservedCredit(tx: Tx, loans: readonly LockedLoan[]): Promise<void> {
  const holding = loans.filter(loan => loan.credit_line_id && loan.reserved !== 0n)
  if (holding.length === 0) return
  setReserved(
    tx,
    holding.map(({ partner_id, id }) => ({ partner_id, id, reserved: 0n })),
  )
  await changeLines(
    tx,
    holding.map(({ partner_id, credit_line_id, reserved }) => ({
      partner_id,
      credit_line_id: credit_line_id!,
      outstanding: 0n,
      reserved: -reserved,
    })),
  )
  const financing = holding.filter(loan => financesInvoices(loan.loan_type))
  if (financing.length === 0) return
  await recordLimitEvents(tx, financing)
}

/**
 * Locks and returns the borrower's loans in these statuses. Locks the partner and the credit line
 * before searching, so that no concurrent request is missed.
 */
export async function lockLoansIn(
  tx: Tx,
  { partner_id, borrower_id }: BorrowerKey,
  statuses: readonly string[],
): Promise<LockedLoan[]> {
  await lockExposure(tx, [partner_id], [{ partner_id, id: borrower_id }])
  const found = await tx.all(sql<RowKey>`
    select partner_id, id from loans
    where partner_id = ${partner_id} and borrower_id = ${borrower_id}
      and status = any(${statuses}::text[])
    order by id`)
  const loans = await lockLoanMoney(tx, found)
  return loans.filter(loan => statuses.includes(loan.status))
}
