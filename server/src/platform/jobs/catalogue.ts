/** Lists every kind of job with its data. */

import type { Day } from '../kit/dates.ts'

/** `job-handlers.ts` maps each job to its handler; the compiler requires all of them there. */
export interface JobData {
  look_up_company: { company_key: string }
  apply_company_file: { partner_id: string; borrower_id: string }
  follow_company: { partner_id: string; company_key: string }
  follow_counterparty: { partner_id: string; company_key: string }
  prepare_loan: { partner_id: string; loan_id: string }
  submit_payment: { partner_id: string; payment_id: string }
  end_mandate: { partner_id: string; mandate_id: string; reason: string }
  recall_payment: { payment_id: string }
  submit_processor_payment: { processor_payment_id: string }
  book_bank_news: { bank_news_id: string }
  book_bank_statement: { statement_id: string }
  /** Compares the days of an account that have not tied out, and those from a day on. */
  tie_out: { bank_account_id: string; from_on: Day }
  send_bill: { partner_id: string; bill_id: string }
  redraw_bill: { partner_id: string; bill_id: string }
  pay_due_payouts: Record<string, never>
  return_suspense: { suspense_id: string }
  review_lateness: { partner_id: string; borrower_id: string }
  send_mail: { partner_id: string; mail_id: string }
  follow_card_order: { partner_id: string; order_id: string }
  book_card_news: { card_news_id: string }
  write_contract: { partner_id: string; loan_id: string }
  start_installment_plan: { partner_id: string; plan_id: string }
  write_plan_agreement: { partner_id: string; plan_id: string }
  follow_overdue_plan: { partner_id: string; plan_id: string; borrower_id: string }
  close_data_batch: { partner_id: string; batch_id: string }
  assess_credit_line: {
    partner_id: string
    credit_line_id: string
    cause: 'DATA_SHARED' | 'REPAYMENT'
  }
}

export type JobName = keyof JobData
