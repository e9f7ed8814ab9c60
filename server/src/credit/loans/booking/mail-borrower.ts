/** Mails borrowers, in their language, about events of their loans. */

import {
  lenderOf,
  type Mail,
  payoutDoneMail,
  postponedMail,
  refundReclaimedMail,
  repaidMail,
} from '../../../integrations/documents/index.ts'
import { type Contact, mailBorrowers } from '../../../money/partner-terms/index.ts'
import { repaymentAccount } from '../../../platform/db/collection-accounts.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import type { LoanAccount } from '../account.ts'
import { duesOf } from '../amounts-due/dues.ts'
import { bearsInterest, feesTo } from '../interest.ts'
import type { LoanRow } from '../store.ts'

type Head = Parameters<typeof postponedMail>[0]

async function mailEach(
  tx: Tx,
  letters: readonly { loan: LoanRow; mail: (head: LoanHead) => Mail }[],
): Promise<void> {
  const mails = letters.map(({ loan, mail }) => ({
    borrower_id: loan.borrower_id,
    partner_id: loan.partner_id,
    also: loan.notification_emails,
    draft: (reader: Contact) => ({ ...mail(headOf(tx, loan, reader)), document_ids: [] }),
  }))
  await mailBorrowers(tx, mails)
}

type LoanHead = Pick<Head, 'language' | 'lender' | 'recipient' | 'loan_reference' | 'currency'>

function headOf(tx: Tx, loan: LoanRow, borrower: Contact): LoanHead {
  return {
    language: borrower.preferred_language,
    lender: lenderOf(tx.settings.lender),
    recipient: borrower.name,
    loan_reference: loan.repayment_reference,
    currency: loan.currency,
  }
}

/**
 * Mails the borrower that a loan was paid out and, if it is repaid by bank transfer, how to repay
 * it.
 */
export async function mailPaidOut(tx: Tx, loan: LoanRow, paid_on: Day): Promise<void> {
  const { amount, to_repay_on: to_repay_at } = loan
  const iban = loan.loan_to.account_number
  const dues = loan.repayment_method === 'SCT' ? (await duesOf(tx, [loan])).get(loan.id)! : []
  const { name: account_holder } = repaymentAccount(tx.settings, loan.repayment_iban)
  const account = { account_holder, iban: loan.repayment_iban }
  const transfer = dues.length > 0 ? { ...account, dues } : null
  const bears_interest = bearsInterest(loan, tx.today)
  const facts = { amount, paid_on, iban, to_repay_at, transfer, bears_interest }
  const mail = (head: LoanHead) => payoutDoneMail({ ...head, ...facts })
  await mailEach(tx, [{ loan, mail }])
}

/**
 * Mails the borrower that a loan's principal is repaid, and how much interest is still to be paid.
 */
export async function mailRepaid(tx: Tx, loan: LoanRow, account: LoanAccount): Promise<void> {
  const repaid_on = account.principal_repaid_on!
  const owes = loan.fees_payer !== 'PARTNER'
  const accrued = feesTo(account.steps, loan, repaid_on)
  const interest = owes ? maxAmount(accrued - account.interest_paid, 0n) : 0n
  const interest_on_bills = minAmount(
    interest,
    maxAmount(loan.interest_billed - account.interest_paid, 0n),
  )
  const interest_to_bill = interest - interest_on_bills
  const facts = { amount: loan.amount, repaid_on, interest_on_bills, interest_to_bill }
  const mail = (head: LoanHead) => repaidMail({ ...head, ...facts })
  await mailEach(tx, [{ loan, mail }])
}

/**
 * Mails the borrower that `amount` cents of refunds became principal again, `to_others` of which
 * went to accounts that are not the borrower's.
 */
export async function mailReclaimed(
  tx: Tx,
  loan: LoanRow,
  amount: bigint,
  to_others: bigint,
): Promise<void> {
  const dues = (await duesOf(tx, [loan])).get(loan.id)!
  const { name: account_holder } = repaymentAccount(tx.settings, loan.repayment_iban)
  const bears_interest = bearsInterest(loan, tx.today)
  const account = { account_holder, iban: loan.repayment_iban }
  const facts = { amount, to_others, dues, ...account, bears_interest }
  const mail = (head: LoanHead) => refundReclaimedMail({ ...head, ...facts })
  await mailEach(tx, [{ loan, mail }])
}

/** Mails the borrower the new due date, `to_repay_at`; `loan` still has the old one. */
export async function mailPostponed(tx: Tx, loan: LoanRow, to_repay_at: Day): Promise<void> {
  const { principal_outstanding: amount, falls_due_on: before } = loan
  const facts = { amount, before, to_repay_at, bears_interest: bearsInterest(loan, tx.today) }
  const mail = (head: LoanHead) => postponedMail({ ...head, ...facts })
  await mailEach(tx, [{ loan, mail }])
}
