/** The mails' texts in English. */
import type { MailTexts } from './keys.ts'

export const en: MailTexts = {
  greeting: recipient => `Hello ${recipient},`,
  closing: 'Kind regards',
  questions: email => `Any questions? Write to ${email}.`,
  interest_runs: 'Interest goes on until repayment.',
  terms_signed: {
    subject: lender => `Your documents from ${lender}`,
    body: 'Your company has accepted our terms. They are attached; please keep them.',
    mandate: reference => `Your SEPA direct debit mandate ${reference} is attached as well.`,
  },
  contract_ready: {
    subject: reference => `Your loan ${reference} is approved`,
    body: 'Your loan is approved. The loan agreement is attached; please keep it.',
  },
  contract_amended: {
    subject: reference => `Your loan agreement ${reference} has been amended`,
    body: count => `Your loan is now repaid under an installment plan of ${count} payments. The
amended loan agreement with the payment schedule is attached and replaces the previous one. Please
keep it.`,
  },
  bill_sent: {
    subject: (number, period) => `Interest bill ${number} for ${period}`,
    body: period => `Please find attached the interest bill for ${period}.`,
    debited: (amount, day, mandate) => `${amount} will be debited from your account on ${day} under
      mandate ${mandate}. You need not do anything; please see to sufficient funds.`,
    transfer: day => `Please transfer the amount so that it arrives by ${day}:`,
    wallet: day => `The amount is taken from your dedicated wallet on ${day}.`,
    plan: 'The installment plan that was agreed settles this bill: nothing is to be paid besides.',
    nothing: 'Nothing remains to be paid.',
  },
  bill_withdrawn: {
    subject: number => `Interest bill ${number} is withdrawn`,
    body: (
      number,
      period,
    ) => `Our interest bill ${number} was wrong: after what has become known since, nothing is
      owed for ${period}. The bill is void; please do not pay it.`,
  },
  credit_note: {
    subject: (number, period) => `Credit note ${number}, ${period}`,
    body: period => `Please find attached our credit note on interest for ${period}.`,
    unpaid: amount => `${amount} of it had been billed but not paid; it is no longer owed.`,
    kept: amount => `${amount} remain to your credit and reduce your next bill.`,
    set_off: amount => `${amount} of it settle open bills, the oldest first.`,
    refund: (amount, day, iban) =>
      `We pay back ${amount} to the account ${iban}; the transfer leaves on ${day}.`,
  },
  revenue_share: {
    subject: period => `Your revenue share for ${period}`,
    body: (
      amount,
      day,
    ) => `Your share of the interest that your referrals have paid up to ${day} is ${amount}.
      Please send your invoice of this amount to the platform that you refer to; it is paid on
      the banking day after it was handed in.`,
  },
  payout_done: {
    subject: reference => `Your loan ${reference} has been paid out`,
    body: (amount, day) => `We paid ${amount} to your account on ${day}.`,
    interest: 'Interest counts from that day.',
    transfer:
      'Please repay it by bank transfer, each amount by its due date, with the reference below:',
  },
  repaid: {
    subject: reference => `Your loan ${reference} is repaid`,
    body: (amount, day) => `The principal of your loan, ${amount}, was fully repaid on ${day}. From
      that day on no interest accrues. Thank you.`,
    interest: amount => `Interest of ${amount} is still open; it will be on your next bill.`,
    billed: amount => `An earlier bill still has interest of ${amount} to be paid.`,
    closed: 'Nothing is owed on this loan any more.',
  },
  postponed: {
    subject: reference => `Your loan ${reference} is repaid later`,
    body: (before, day) => `As agreed, your loan is now due on ${day} instead of ${before}.`,
    once: 'It can be put off this once.',
  },
  debit_announced: {
    loan: reference => `Your loan ${reference} will be debited`,
    bill: reference => `Your bill ${reference} will be debited`,
    installment: reference => `Your installment ${reference} will be debited`,
    fee: reference => `Your monthly fee ${reference} will be debited`,
    body: (amount, day) => `We will debit ${amount} from your account on ${day}. You need not do
      anything; please see to sufficient funds.`,
  },
  to_transfer: {
    fee: {
      subject: reference => `Please transfer your monthly fee ${reference}`,
      body: `No direct debit collects this monthly fee. Please transfer it by its due date, with its
        reference:`,
    },
    bill: {
      subject: reference => `Please transfer your bill ${reference}`,
      body: `The debit of this bill failed or was returned, and it will not be repeated. Please
        transfer the amount, with the reference of the bill:`,
      reopened: `A payment that had been counted towards this bill no longer is, and no debit
        collects the bill. Please transfer the amount, with the reference of the bill:`,
    },
  },
  mandate_ended: {
    subject: mandate => `Your direct debit mandate ${mandate} has ended`,
    refused: (
      mandate,
      iban,
    ) => `Your bank tells us that the account ${iban} cannot be debited. The mandate
      ${mandate} has therefore ended: nothing more will be debited by it.`,
    unused: (
      mandate,
      iban,
    ) => `Nothing was debited by your mandate ${mandate} for the account ${iban} in 36
      months. It has therefore lapsed: nothing more will be debited by it.`,
    set_up: `Please set up another repayment method on the platform through which you
      borrow. Until then no further loan can be granted to you.`,
    transfer: `What is owed is no longer debited. Please transfer each amount by its
      due date, with its reference:`,
  },
  refund_reclaimed: {
    subject: reference => `Refund on loan ${reference} is owed again`,
    body: (
      amount,
      day,
    ) => `Your bank has taken back a direct debit on this loan. The transfer that we
      had treated as an overpayment now repays it, so the ${amount} that we refunded are owed again.
      They are due on ${day}.`,
    interest: 'They bear interest from the day of the refund.',
    to_you: 'We had refunded this amount to your account.',
    to_payer: `We had refunded this amount to the account that the transfer came from, which is
      none of yours. You owe it all the same: please contact whoever made that transfer.`,
    to_both: amount => `We had refunded it to your account, except for ${amount}, which went to the
      account that the transfer came from, and which is none of yours. You owe that part all the
      same: please contact whoever made that transfer.`,
    transfer: 'Please transfer the outstanding amount:',
  },
  late: {
    subject: reference => `Your loan ${reference} is late`,
    body: (day, days) => `Your loan was due on ${day} and is not repaid: it is late by ${days}
      ${days === 1 ? 'day' : 'days'}.`,
    suspended: 'Until repayment no further loan can be paid out to you.',
    transfer: 'Please transfer what is open at once:',
    debited: 'This is being debited from your account; please do not transfer it as well:',
  },
  installment_late: {
    subject: reference => `An installment of your plan ${reference} is late`,
    body: (day, days) => `The installment due on ${day} has not been paid in full: it is late by
      ${days} ${days === 1 ? 'day' : 'days'}.`,
    breaks: `If it remains unpaid, the installment plan ends, and the whole outstanding balance is
      due again on the original dates.`,
    transfer: 'Please transfer the overdue amount without delay:',
  },
  plan_broken: {
    subject: reference => `Your installment plan ${reference} has ended`,
    body: (unpaid, day) => `${unpaid} of the installment due on ${day} remained unpaid after the
      grace period. Your installment plan has therefore ended.`,
    stop: `The installments still open are canceled: please make no further payments under the
      plan. What you still owe is due again on the original dates below.`,
    total: amount => `As of today you owe ${amount} in total:`,
    to_bill: 'Interest not yet billed will be on your next bill.',
    nothing: 'Nothing is owed any more.',
  },
  labels: {
    loan: 'Loan',
    amount: 'Amount',
    payout_on: 'Payout date',
    repay_on: 'Repayment date',
    interest_estimated: 'Interest if repaid as agreed',
    account: 'Account',
    bill: 'Bill',
    installment: 'Installment',
    fee: 'Monthly fee',
    to_pay: 'Amount to pay',
    due_on: 'Due date',
    interest: 'Interest until today',
    mandate: 'Mandate',
    creditor: 'Creditor identifier',
    principal: 'Outstanding principal',
    unbilled: 'Interest not yet billed',
    debit: 'Direct debit scheduled',
    to_transfer: 'Amount to transfer',
  },
}
