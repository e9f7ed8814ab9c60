/** The chart of accounts: what each account holds and which side it grows on. */

interface AccountKind {
  readonly title: string
  readonly side: 'debit' | 'credit'
  /** Whose it is: one for each loan, borrower, referrer, partner or payer, or the lender's. */
  readonly owner: 'loan' | 'borrower' | 'referrer' | 'partner' | 'payer' | 'lender'
}

function chartOf<const T extends Record<string, AccountKind>>(table: T): T {
  return table
}

export const chart = chartOf({
  /** The lender's money at its bank. */
  bank_cash: { title: 'Cash at bank', side: 'debit', owner: 'lender' },
  /** What the lender has put in. */
  lender_capital: { title: 'Capital put in', side: 'credit', owner: 'lender' },
  /** Money received that could not be attributed for certain. */
  suspense: { title: 'Suspense', side: 'credit', owner: 'lender' },
  /** What went out, and nobody could place nor get back. */
  suspense_loss: { title: 'Losses in suspense', side: 'debit', owner: 'lender' },
  loan_principal: { title: 'Principal outstanding', side: 'debit', owner: 'loan' },
  interest_accrued: { title: 'Interest accrued, not billed', side: 'debit', owner: 'loan' },
  interest_billed: { title: 'Interest billed, not paid', side: 'debit', owner: 'loan' },
  interest_income: { title: 'Interest earned', side: 'credit', owner: 'loan' },
  partner_share: { title: "Partner's share of fees, not paid out", side: 'credit', owner: 'loan' },
  /** What cards have cleared and no loan has taken up yet; what came back is on the other side. */
  card_receivable: { title: 'Card spending, not lent yet', side: 'debit', owner: 'borrower' },
  card_settlement: { title: 'Card processor', side: 'credit', owner: 'lender' },
  /** What referrers get of the interest paid. */
  revenue_share_expense: { title: 'Revenue shared', side: 'debit', owner: 'lender' },
  revenue_share_payable: { title: 'Revenue shares payable', side: 'credit', owner: 'referrer' },
  subscription_receivable: { title: 'Fees not paid yet', side: 'debit', owner: 'borrower' },
  subscription_income: { title: 'Fees earned', side: 'credit', owner: 'lender' },
  /** What debtors paid for recollection: their partner's, until it is paid out. */
  recollection_fees_payable: {
    title: 'Recollection fees payable',
    side: 'credit',
    owner: 'partner',
  },
  /** What written off loans still owed, and what came in of it since. */
  principal_written_off: { title: 'Principal written off', side: 'debit', owner: 'loan' },
  interest_written_off: { title: 'Interest written off', side: 'debit', owner: 'loan' },
  principal_recovered: { title: 'Principal recovered', side: 'credit', owner: 'loan' },
  interest_recovered: { title: 'Interest recovered', side: 'credit', owner: 'loan' },
  mark_up_written_off: {
    title: "Partner's share of fees written off",
    side: 'debit',
    owner: 'loan',
  },
  /** What bills took back that was paid: set off against others of the payer, or paid back. */
  credit_notes_payable: { title: 'Credit notes payable', side: 'credit', owner: 'payer' },
  /** Money received beyond what was owed, to be sent back. */
  refunds_payable: { title: 'Refunds payable', side: 'credit', owner: 'loan' },
})

export type AccountCode = keyof typeof chart
