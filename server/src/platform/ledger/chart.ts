/** The chart of accounts: what each account holds and its normal side. */

interface AccountKind {
  readonly title: string
  readonly side: 'debit' | 'credit'
  /**
   * There is one account per loan, borrower and so on, or a single account of the lender. Accounts
   * per bank account are the lender's too.
   */
  readonly owner: 'loan' | 'borrower' | 'referrer' | 'partner' | 'payer' | 'lender' | 'bank_account'
}

function chartOf<const T extends Record<string, AccountKind>>(table: T): T {
  return table
}

export const chart = chartOf({
  bank_cash: { title: 'Cash at bank', side: 'debit', owner: 'bank_account' },
  /** Cash that has left one of our bank accounts for another and has not arrived. */
  cash_in_transit: { title: 'Cash in transit', side: 'debit', owner: 'lender' },
  lender_capital: { title: 'Capital put in', side: 'credit', owner: 'lender' },
  /** What the bank accounts held when these books began. */
  opening_balance: { title: 'Opening balances', side: 'credit', owner: 'lender' },
  bank_charges: { title: 'Bank charges', side: 'debit', owner: 'lender' },
  /** Interest that the bank paid, less interest that it charged. */
  bank_interest: { title: 'Bank interest', side: 'credit', owner: 'lender' },
  /** Unmatched payments until they are resolved: received ones as credits, sent ones as debits. */
  suspense: { title: 'Suspense', side: 'credit', owner: 'lender' },
  /** Payments sent that could be neither matched nor recovered. */
  suspense_loss: { title: 'Losses in suspense', side: 'debit', owner: 'lender' },
  loan_principal: { title: 'Principal outstanding', side: 'debit', owner: 'loan' },
  interest_accrued: { title: 'Interest accrued, not billed', side: 'debit', owner: 'loan' },
  interest_billed: { title: 'Interest billed, not paid', side: 'debit', owner: 'loan' },
  interest_income: { title: 'Interest earned', side: 'credit', owner: 'loan' },
  partner_share: { title: "Partner's share of fees, not paid out", side: 'credit', owner: 'loan' },
  /** Card spending cleared but not yet lent. Card refunds are credited to it. */
  card_receivable: { title: 'Card spending, not lent yet', side: 'debit', owner: 'borrower' },
  card_settlement: { title: 'Card processor', side: 'credit', owner: 'lender' },
  revenue_share_expense: { title: 'Revenue shared', side: 'debit', owner: 'lender' },
  revenue_share_payable: { title: 'Revenue shares payable', side: 'credit', owner: 'referrer' },
  subscription_receivable: { title: 'Fees not paid yet', side: 'debit', owner: 'borrower' },
  subscription_income: { title: 'Fees earned', side: 'credit', owner: 'lender' },
  /** Collection fees paid by debtors, owed to their partner until paid out. */
  recollection_fees_payable: {
    title: 'Recollection fees payable',
    side: 'credit',
    owner: 'partner',
  },
  /** Principal and interest outstanding when loans were written off, and later recoveries. */
  principal_written_off: { title: 'Principal written off', side: 'debit', owner: 'loan' },
  interest_written_off: { title: 'Interest written off', side: 'debit', owner: 'loan' },
  principal_recovered: { title: 'Principal recovered', side: 'credit', owner: 'loan' },
  interest_recovered: { title: 'Interest recovered', side: 'credit', owner: 'loan' },
  mark_up_written_off: {
    title: "Partner's share of fees written off",
    side: 'debit',
    owner: 'loan',
  },
  /** Credits for paid amounts, to be offset against the payer's other bills or refunded. */
  credit_notes_payable: { title: 'Credit notes payable', side: 'credit', owner: 'payer' },
  refunds_payable: { title: 'Refunds payable', side: 'credit', owner: 'loan' },
})

export type AccountCode = keyof typeof chart

/** Whether the lender has the account, of which there may be one for each of its bank accounts. */
export function isOfLender(code: AccountCode): boolean {
  return ['lender', 'bank_account'].includes(chart[code].owner)
}
