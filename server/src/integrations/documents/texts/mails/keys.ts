/** The texts mails need in each language. Each sentence is complete; facts follow as a list. */
export type MailTexts = {
  greeting: (recipient: string) => string
  closing: string
  questions: (email: string) => string
  /** Only for loans whose borrower pays interest for each day until repayment. */
  interest_runs: string
  terms_signed: {
    subject: (lender: string) => string
    body: string
    mandate: (reference: string) => string
  }
  contract_ready: { subject: (reference: string) => string; body: string }
  contract_amended: { subject: (reference: string) => string; body: (count: number) => string }
  bill_sent: {
    subject: (number: string, period: string) => string
    body: (period: string) => string
    debited: (amount: string, day: string, mandate: string) => string
    transfer: (day: string) => string
    wallet: (day: string) => string
    plan: string
    nothing: string
  }
  bill_withdrawn: {
    subject: (number: string) => string
    body: (number: string, period: string) => string
  }
  credit_note: {
    subject: (number: string, period: string) => string
    body: (period: string) => string
    unpaid: (amount: string) => string
    kept: (amount: string) => string
    set_off: (amount: string) => string
    refund: (amount: string, day: string, iban: string) => string
  }
  revenue_share: {
    subject: (period: string) => string
    body: (amount: string, day: string) => string
  }
  payout_done: {
    subject: (reference: string) => string
    body: (amount: string, day: string) => string
    interest: string
    transfer: string
  }
  repaid: {
    subject: (reference: string) => string
    body: (amount: string, day: string) => string
    /** Interest yet to be billed. */
    interest: (amount: string) => string
    /** Interest billed but unpaid. */
    billed: (amount: string) => string
    closed: string
  }
  postponed: {
    subject: (reference: string) => string
    body: (before: string, day: string) => string
    once: string
  }
  debit_announced: {
    loan: (reference: string) => string
    bill: (reference: string) => string
    installment: (reference: string) => string
    fee: (reference: string) => string
    body: (amount: string, day: string) => string
  }
  to_transfer: {
    fee: { subject: (reference: string) => string; body: string }
    bill: {
      subject: (reference: string) => string
      body: string
      /** Replaces `body` if a payment of the bill other than its debit was reversed. */
      reopened: string
    }
  }
  mandate_ended: {
    subject: (mandate: string) => string
    refused: (mandate: string, iban: string) => string
    unused: (mandate: string, iban: string) => string
    set_up: string
    transfer: string
  }
  refund_reclaimed: {
    subject: (reference: string) => string
    body: (amount: string, day: string) => string
    interest: string
    /** For a refund to the borrower's account, to another payer's, or in part to each. */
    to_you: string
    to_payer: string
    to_both: (to_payer: string) => string
    transfer: string
  }
  late: {
    subject: (reference: string) => string
    body: (day: string, days: number) => string
    suspended: string
    transfer: string
    /** Replaces `transfer` if planned debits collect the whole amount. */
    debited: string
  }
  installment_late: {
    subject: (reference: string) => string
    body: (day: string, days: number) => string
    breaks: string
    transfer: string
  }
  plan_broken: {
    subject: (reference: string) => string
    body: (unpaid: string, day: string) => string
    /** The rest of the plan is no longer due. */
    stop: string
    total: (amount: string) => string
    /** When interest that is not on a bill yet will be billed. */
    to_bill: string
    nothing: string
  }
  labels: {
    loan: string
    amount: string
    payout_on: string
    repay_on: string
    interest_estimated: string
    account: string
    bill: string
    installment: string
    fee: string
    to_pay: string
    due_on: string
    interest: string
    mandate: string
    creditor: string
    principal: string
    unbilled: string
    debit: string
    to_transfer: string
  }
}
