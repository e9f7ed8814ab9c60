/** Words of the interest bill in English. */
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
  rate_note: rate => `Interest is ${rate} a day of the principal outstanding at the end of the day;
    first and last day are both counted. Each loan is rounded once over its whole life, so that its
    bills add up to the formula.`,
  loan: 'Loan',
  from: 'From',
  to: 'To',
  days: 'Days',
  outstanding: 'Outstanding',
  interest: 'Interest',
  interest_total: 'Total interest',
  extras: { ADJUSTMENT: 'Adjustment', PARTNER_MARK_UP: 'Fee of the partner' },
  summary: 'Summary',
  total: 'Total',
  prepaid: 'Already paid',
  set_off: 'Set off against open bills',
  paid_back: (day, iban) => `Paid back on ${day} to ${iban}`,
  payment: 'Payment',
  prenotification: (amount, day) => `Pre-notification of the direct debit: ${amount} will be debited
    on ${day} from the account named here. Please see to sufficient funds.`,
  transfer_note: day => `Please transfer the amount so that it arrives by ${day}, and give the
    reference of this bill.`,
  wallet_note: day => `The amount is taken from the dedicated wallet on ${day}.`,
  nothing_to_pay: 'Nothing remains to be paid.',
  credit_note: `The amount credited is set off against open bills, the oldest first; what is left is
    paid back within five banking days.`,
}
