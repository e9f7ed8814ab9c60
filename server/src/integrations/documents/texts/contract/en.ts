/** The loan agreement's texts in English. */
import type { ContractTexts } from './keys.ts'

export const en: ContractTexts = {
  title: 'Loan agreement',
  title_amended: 'Amended loan agreement',
  loan_types: {
    WALLET_FINANCING: 'Wallet financing',
    INVOICE_BASED_FINANCING: 'Invoice financing',
    CREDIT_CARD_FINANCING: 'Card financing',
  },
  intro: (version, accepted) => `The lender grants the borrower the loan described here, under the
    general terms of the business credit line, version ${version}, which the borrower accepted on
    ${accepted} and which are part of this agreement.`,
  amends: (id, issued) => `This agreement replaces agreement ${id} of ${issued}.`,
  loan: 'Loan',
  loan_reference: 'Loan reference',
  loan_type: 'Kind of loan',
  invoice: 'Invoice financed',
  principal: 'Principal',
  payout_on: 'Payout date',
  payout_account: 'Paid out to',
  repay_on: 'Repayment date',
  days: 'Days with interest',
  cost: 'Cost of the loan',
  daily_rate: 'Interest a day on the outstanding principal',
  annual_rate: 'Nominal rate of a year (365 days)',
  interest: 'Interest if repaid as agreed',
  total: 'Total to be repaid',
  cost_note:
    rate => `Interest is ${rate} × outstanding principal × days, simple, from the value date
    of the payout to the day before that of the repayment; the total is rounded once. The interest
    shown is an estimate: it follows the days really used. It is billed at the start of each month,
    apart from the principal.`,
  no_other_fees: 'The lender charges no other fees for this loan.',
  repayment: 'Repayment of the principal',
  prenotification: (amount, day) => `Pre-notification of the direct debit: ${amount} will be
    debited on ${day} from the account named here. Should that day fall on a closed day of the
    banks, the debit follows on the next banking day. Please see to sufficient funds.`,
  transfer_note: `Please transfer the principal so that it arrives by the repayment date, and give
    the reference; it assigns the money to this loan.`,
  wallet_note: 'The principal is taken from the dedicated wallet on that day.',
  early: (
    iban,
    reference,
  ) => `The loan may be repaid early at any time, in whole or in part, free of
    charge, by transfer to ${iban} with the reference ${reference}.`,
  early_free: `The loan may be repaid early at any time, in whole or in part, free of charge.`,
  plan: 'Installment plan',
  plan_note: `The parties agree that what is owed is repaid in these installments. They take the
    place of the repayment date above; lateness is measured against them.`,
  plan_prenotification: `Each installment is debited on its due date from the account named here.
    This table is the pre-notification of those debits.`,
  due_on: 'Due on',
  recollection_fees: 'of which recollection fees',
  sum: 'Total',
  closing: law => `This agreement is concluded electronically and valid without signature. It is
    governed by ${law}; courts and complaints are as in the general terms.`,
}
