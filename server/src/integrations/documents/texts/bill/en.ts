/** The interest bill's texts in English. */
import type { BillTexts } from './keys.ts'

export const en: BillTexts = {
  title: 'Interest bill',
  title_credit: 'Credit note',
  issued_on: 'Date',
  from_to: (from, to) => `${from} to ${to}`,
  due_on: 'Due date',
  payer: 'Payer',
  to_pay: 'Amount to pay',
  credited: 'Amount credited',
  amends: (number, issued) => `This bill replaces bill ${number} of ${issued}, which is void.`,
  detail: 'Interest of each loan',
  rate_note: `Each line is principal × daily rate × days, rounded to the cent; the principal is
    what is outstanding at the end of each day, and the first and the last day are both counted. An
    adjustment has the difference from the principal that an earlier bill was computed from. Over
    its whole life a loan is rounded once: where that is a cent more or less, a line says so.`,
  loan: 'Loan',
  from: 'From',
  to: 'To',
  days: 'Days',
  outstanding: 'Outstanding',
  rate: 'Daily rate',
  amount: 'Amount',
  interest_total: 'Total interest',
  extras: {
    PARTNER_MARK_UP: 'Fee of the partner',
    ADJUSTMENT: 'Adjustments',
    LAPSED: 'Not charged',
    ROUNDING: 'Rounding',
  },
  adjustment: (number, reason) =>
    number ? `Adjustment of bill ${number}: ${reason}` : `Adjustment: ${reason}`,
  reasons: {
    REPAYMENT_VALUED_EARLIER: 'repayment with an earlier value date',
    COLLECTION_RETURNED: 'collection returned by the bank',
    PAYOUT_RETURNED: 'payout returned by the bank',
    INTEREST_STOPPED: 'interest stopped',
    WRITE_OFF: 'loan written off',
    RECALCULATED: 'interest recalculated',
    NOT_RECORDED: 'interest recalculated',
  },
  lapsed: 'Not charged: the loan was written off',
  rounding: (exact, before) =>
    `Rounding: interest to date ${exact}, of which ${before} was billed before`,
  summary: 'Summary',
  total: 'Total',
  prepaid: 'Already paid',
  unpaid: 'Billed earlier, not paid, no longer owed',
  kept: 'Deducted from the next bill',
  set_off: 'Set off against open bills',
  paid_back: (day, iban) => `Paid back on ${day} to ${iban}`,
  payment: 'Payment',
  prenotification: (amount, day) => `Pre-notification of the direct debit: ${amount} will be debited
    on ${day} from the account named here. Please see to sufficient funds.`,
  transfer_note: day => `Please transfer the amount so that it arrives by ${day}, and give the
    reference of this bill.`,
  plan_note:
    'The installment plan that was agreed settles this bill: nothing is to be paid besides.',
  wallet_note: day => `The amount is taken from the dedicated wallet on ${day}.`,
  nothing_to_pay: 'Nothing remains to be paid.',
}
