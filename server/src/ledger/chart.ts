/** The chart of accounts: what each account holds and which side it grows on. */

interface AccountKind {
  readonly title: string
  readonly side: 'debit' | 'credit'
  /** Whose account it is: one for each loan, borrower or referrer, or one for the lender. */
  readonly owner: 'loan' | 'borrower' | 'referrer' | 'lender'
}

function chartOf<const T extends Record<string, AccountKind>>(table: T): T {
  return table
}

const chart = chartOf({
  /** The lender's money at its bank. */
  bank_cash: { title: 'Cash at bank', side: 'debit', owner: 'lender' },
  /** Money received that could not be attributed for certain. */
  suspense: { title: 'Suspense', side: 'credit', owner: 'lender' },
  loan_principal: { title: 'Principal outstanding', side: 'debit', owner: 'loan' },
  interest_accrued: { title: 'Interest accrued, not billed', side: 'debit', owner: 'loan' },
  interest_billed: { title: 'Interest billed, not paid', side: 'debit', owner: 'loan' },
  interest_income: { title: 'Interest earned', side: 'credit', owner: 'loan' },
  partner_share: { title: "Partner's share of fees, not paid out", side: 'credit', owner: 'loan' },
  /** Money received beyond what was owed, to be sent back. */
  /** What referrers get of the interest paid. */
  revenue_share_expense: { title: 'Revenue shared', side: 'debit', owner: 'lender' },
  revenue_share_payable: { title: 'Revenue shares payable', side: 'credit', owner: 'referrer' },
  subscription_receivable: { title: 'Fees not paid yet', side: 'debit', owner: 'borrower' },
  subscription_income: { title: 'Fees earned', side: 'credit', owner: 'lender' },
  refunds_payable: { title: 'Refunds payable', side: 'credit', owner: 'loan' },
})

export type AccountCode = keyof typeof chart
