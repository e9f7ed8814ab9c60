/** Words of the mails in English. */
import type { MailTexts } from './keys.ts'

export const en: MailTexts = {
  greeting: recipient => `Hello ${recipient},`,
  closing: 'Kind regards',
  questions: email => `Any questions? Write to ${email}.`,
  contract_ready: {
    subject: reference => `Your loan ${reference} is approved`,
    body: 'your loan is approved. The loan agreement is attached; please keep it.',
  },
  bill_sent: {
    subject: (number, period) => `Interest bill ${number} for ${period}`,
    body: period => `please find attached the interest bill for ${period}.`,
    debited: (amount, day, mandate) => `${amount} will be debited from your account on ${day} under
      mandate ${mandate}. You need not do anything; please see to sufficient funds.`,
    transfer: day => `Please transfer the amount so that it arrives by ${day}:`,
    wallet: day => `The amount is taken from your dedicated wallet on ${day}.`,
    nothing: 'Nothing remains to be paid.',
  },
  payout_done: {
    subject: reference => `Your loan ${reference} has been paid out`,
    body: (amount, day) => `we paid ${amount} to your account on ${day}. Interest counts from that
      day.`,
  },
  repaid: {
    subject: reference => `Your loan ${reference} is repaid`,
    body: (amount, day) => `the principal of your loan, ${amount}, was fully repaid on ${day}. From
      that day on no interest accrues. Thank you.`,
    interest: amount => `Interest of ${amount} is still open; it will be on your next bill.`,
    closed: 'Nothing is owed on this loan any more.',
  },
  postponed: {
    subject: reference => `Your loan ${reference} is repaid later`,
    body: (before, day) => `as agreed, your loan is now due on ${day} instead of ${before}. Interest
      goes on until it is repaid. It can be put off this once.`,
  },
  labels: {
    loan: 'Loan',
    amount: 'Amount',
    payout_on: 'Payout date',
    repay_on: 'Repayment date',
    interest_estimated: 'Interest if repaid as agreed',
    account: 'Account',
    bill: 'Bill',
    to_pay: 'Amount to pay',
    due_on: 'Due date',
  },
}
