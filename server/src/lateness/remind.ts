/** Reminders by mail, in the language of the borrower. */
import { sql } from 'kysely'
import type { BorrowerRow } from '../borrowers/index.ts'
import type { Tx } from '../db/transaction.ts'
import { type Language, lateMail, lenderOf } from '../documents/index.ts'
import { type LoanRow, readStepsOf } from '../loans/index.ts'
import { feesTo, type Step } from '../loans/interest.ts'
import { type AddressedMail, queueManyMails } from '../mails/index.ts'
import type { LateLoan } from './queries.ts'

type Told = LoanRow & Pick<BorrowerRow, 'name' | 'preferred_language' | 'business_email'>

/** One mail for each loan, to those whom the loan tells and the borrower itself. */
export async function remind(tx: Tx, late: readonly LateLoan[]): Promise<void> {
  if (late.length === 0) return
  const ids = late.map(loan => loan.loan_id)
  const loans = await tx.all(sql<Told>`
    select l.*, b.name, b.preferred_language, b.business_email
    from loans l join borrowers b on b.id = l.borrower_id where l.id = any(${ids}::uuid[])`)
  const steps = await readStepsOf(tx, ids)
  const lateness = new Map(late.map(loan => [loan.loan_id, loan]))
  const mails = loans.map(loan =>
    reminderOf(tx, loan, lateness.get(loan.id)!, steps.get(loan.id) ?? []),
  )
  await queueManyMails(tx, mails)
}

function reminderOf(
  tx: Tx,
  loan: Told,
  { late_from, days_late, late_grace_days }: LateLoan,
  steps: readonly Step[],
): AddressedMail {
  const { lender } = tx.settings
  const accrued = loan.fees_payer === 'PARTNER' ? 0n : feesTo(steps, loan, tx.today)
  const mail = lateMail({
    language: loan.preferred_language as Language,
    lender: lenderOf(lender),
    recipient: loan.name,
    loan_reference: loan.repayment_reference,
    amount: loan.principal_outstanding,
    interest: accrued > loan.interest_paid ? accrued - loan.interest_paid : 0n,
    currency: loan.currency,
    due_on: late_from,
    days_late,
    suspended: days_late > late_grace_days,
    account_holder: lender.name,
    iban: loan.repayment_iban,
  })
  return {
    partner_id: loan.partner_id,
    recipients: [...loan.notification_emails, loan.business_email],
    draft: { ...mail, document_ids: [] },
  }
}
