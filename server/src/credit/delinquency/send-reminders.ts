/** Sends reminders by mail, in the borrower's language. */

import { sql } from 'kysely'
import type { BorrowerRow } from '../../companies/borrowers/index.ts'
import { lateMail, lenderOf } from '../../integrations/documents/index.ts'
import { type Contact, mailBorrowers } from '../../money/partner-terms/index.ts'
import { raiseAlerts } from '../../platform/alerts/index.ts'
import { repaymentAccount } from '../../platform/db/collection-accounts.ts'
import { haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { maxAmount } from '../../platform/kit/money.ts'
import { duesOf, type LoanRow, readStepsOf } from '../loans/index.ts'
import type { Installment } from '../loans/installments.ts'
import { bearsInterest, feesTo, type PrincipalStep } from '../loans/interest.ts'
import type { LateLoan } from './queries.ts'

type RemindedLoan = LoanRow & Pick<BorrowerRow, 'name' | 'preferred_language'>

/**
 * Queues one mail per loan, to its notification addresses and the borrower. If the borrower has no
 * address, the mail goes to its partner, and an alert tells an operator to contact the borrower.
 */
export async function sendReminders(tx: Tx, late: readonly LateLoan[]): Promise<void> {
  if (late.length === 0) return
  const keys = keysBy(late, 'loan_id')
  const loans = await tx.all(sql<RemindedLoan>`
    select l.*, b.name, b.preferred_language
    from loans l join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id
    where ${haveKeys(keys, 'l')}
    order by l.id`)
  const steps = await readStepsOf(tx, keys)
  const dues = await duesOf(
    tx,
    loans.filter(loan => loan.in_parts),
  )
  const debits = await debitsOf(tx, keys)
  const lateness = new Map(late.map(loan => [loan.loan_id, loan]))
  const mails = loans.map(loan =>
    reminderOf(tx, loan, lateness.get(loan.id)!, {
      steps: steps.get(loan.id) ?? [],
      dues: dues.get(loan.id) ?? [],
      debits: debits.get(loan.id) ?? [],
    }),
  )
  const contacts = await mailBorrowers(tx, mails)
  const unreachable = loans.filter(loan => !contacts.get(loan.borrower_id)!.is_own)
  await raiseAlerts(
    tx,
    'borrower_without_email',
    [...Map.groupBy(unreachable, loan => loan.borrower_id)].map(([id, own]) => ({
      subject_id: id,
      detail: detailOf(contacts.get(id)!, own),
    })),
  )
}

function detailOf({ name, emails }: Contact, loans: readonly RemindedLoan[]): string {
  const references = loans.map(loan => loan.repayment_reference).join(', ')
  const recipients = [...new Set([...emails, ...loans.flatMap(loan => loan.notification_emails)])]
  const to = recipients.length > 0 ? `sent to ${recipients.join(', ')} instead` : 'not sent'
  return `${name} has no e-mail address. Reminder of ${references} ${to}: contact the borrower`
}

interface PendingDebit {
  readonly loan_id: string
  readonly on: Day
  readonly amount: bigint
  /** The installment's due date; null for a loan without installments. */
  readonly due_on: Day | null
}

/** Pending debits of due amounts, by loan id: a reminder must not request what they collect. */
async function debitsOf(tx: Tx, loans: readonly RowKey[]) {
  const pending = await tx.all(sql<PendingDebit>`
    select p.loan_id, p.scheduled_on as on, p.amount, i.due_on from payments p
    left join loan_installments i on i.partner_id = p.partner_id and i.loan_id = p.loan_id
      and i.position = p.installment
    where ${haveKeys(loans, 'p', 'loan_id')} and p.direction = 'IN'
      and p.payment_method <> 'SCT' and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')
    order by p.scheduled_on, p.id`)
  const due = pending.filter(
    ({ due_on }) => due_on === null || onOrAfterTargetDay(due_on) <= tx.today,
  )
  return Map.groupBy(due, debit => debit.loan_id)
}

interface Owed {
  readonly steps: readonly PrincipalStep[]
  readonly dues: readonly Installment[]
  readonly debits: readonly PendingDebit[]
}

function reminderOf(
  tx: Tx,
  loan: RemindedLoan,
  { late_from, days_late, days_dunned, late_grace_days }: LateLoan,
  { steps, dues, debits }: Owed,
) {
  const { lender } = tx.settings
  const not_due = dues
    .filter(({ due_on }) => due_on > tx.today)
    .reduce((sum, { amount }) => sum + amount, 0n)
  const accrued = loan.fees_payer === 'PARTNER' ? 0n : feesTo(steps, loan, tx.today)
  const mail = lateMail({
    language: loan.preferred_language,
    lender: lenderOf(lender),
    recipient: loan.name,
    loan_reference: loan.repayment_reference,
    amount: maxAmount(loan.principal_outstanding - not_due, 0n),
    interest: accrued > loan.interest_paid ? accrued - loan.interest_paid : 0n,
    debits,
    bears_interest: bearsInterest(loan, tx.today),
    currency: loan.currency,
    due_on: late_from,
    days_late,
    suspended: days_dunned > late_grace_days,
    account_holder: repaymentAccount(tx.settings, loan.repayment_iban).name,
    iban: loan.repayment_iban,
  })
  return {
    borrower_id: loan.borrower_id,
    partner_id: loan.partner_id,
    also: loan.notification_emails,
    draft: () => ({ ...mail, document_ids: [] }),
  }
}
