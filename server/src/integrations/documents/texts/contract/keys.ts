/** The texts a loan agreement needs in each language. */
export type ContractTexts = {
  title: string
  title_amended: string
  loan_types: Record<
    'WALLET_FINANCING' | 'INVOICE_BASED_FINANCING' | 'CREDIT_CARD_FINANCING',
    string
  >
  intro: (version: string, accepted: string) => string
  amends: (id: string, issued: string) => string
  loan: string
  loan_reference: string
  loan_type: string
  invoice: string
  principal: string
  payout_on: string
  payout_account: string
  repay_on: string
  days: string
  cost: string
  daily_rate: string
  annual_rate: string
  interest: string
  total: string
  cost_note: (rate: string) => string
  no_other_fees: string
  repayment: string
  prenotification: (amount: string, day: string) => string
  transfer_note: string
  wallet_note: string
  early: (iban: string, reference: string) => string
  early_free: string
  plan: string
  plan_note: string
  plan_prenotification: string
  due_on: string
  recollection_fees: string
  sum: string
  closing: (law: string) => string
}
