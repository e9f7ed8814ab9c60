/** The handler of each job; a missing one is a compile error. */
import { applyCompanyFile } from './back-office/operations/index.ts'
import { endMandate, followCompany } from './companies/borrowers/index.ts'
import { finishDataBatch } from './companies/business-data/index.ts'
import { followCounterparty } from './companies/counterparties/index.ts'
import { assessLines } from './companies/credit-lines/index.ts'
import { lookUpCompany } from './companies/registry/index.ts'
import type { Context } from './context.ts'
import { redrawBill, sendBill } from './credit/bills/index.ts'
import { bookCardEvents, followCardOrder } from './credit/cards/index.ts'
import { reviewBorrowers } from './credit/delinquency/index.ts'
import { payWaitingPayouts, prepareLoan, writeContract } from './credit/loans/index.ts'
import { followOverduePlan, startPlan, writePlanAgreement } from './credit/recollection/index.ts'
import { sendMail } from './integrations/mails/index.ts'
import {
  bookBankNews,
  bookStatement,
  payProcessor,
  recallPayment,
  submitPayment,
  submitProcessorPayment,
  submitSuspenseReturn,
  tieOut,
} from './money/payments/index.ts'
import type { JobHandlers } from './platform/jobs/index.ts'

/** Each turn of the worker serves the queues with ready jobs in this order. */
export const jobHandlers: JobHandlers<Context> = {
  look_up_company: {
    outside: ({ company_key }, context) => lookUpCompany(context, company_key),
  },
  follow_company: { actor: 'service', inside: followCompany },
  follow_counterparty: { actor: 'service', inside: followCounterparty },
  apply_company_file: { outside: (borrower, context) => applyCompanyFile(context, borrower) },
  prepare_loan: {
    outside: ({ partner_id, loan_id: id }, context) => prepareLoan(context, { partner_id, id }),
  },
  submit_payment: {
    outside: ({ partner_id, payment_id: id }, context) =>
      submitPayment(context, { partner_id, id }),
  },
  end_mandate: { actor: 'bank', inside: endMandate },
  recall_payment: { outside: ({ payment_id }, context) => recallPayment(context, payment_id) },
  submit_processor_payment: {
    outside: ({ processor_payment_id: id }, context) => submitProcessorPayment(context, id),
  },
  book_bank_news: {
    actor: 'bank',
    inside: (tx, { bank_news_id }) => bookBankNews(tx, bank_news_id),
  },
  book_bank_statement: {
    outside: ({ statement_id }, { database }) => bookStatement(database, statement_id),
  },
  tie_out: {
    actor: 'bank',
    inside: (tx, { bank_account_id, from_on }) => tieOut(tx, bank_account_id, from_on),
  },
  send_bill: {
    outside: async ({ partner_id, bill_id: id }, { database }) => {
      await sendBill(database, { partner_id, id })
    },
    loop: 'papers',
  },
  redraw_bill: {
    outside: ({ partner_id, bill_id: id }, { database }) =>
      redrawBill(database, { partner_id, id }),
    loop: 'papers',
  },
  send_mail: {
    outside: ({ partner_id, mail_id: id }, context) => sendMail(context, { partner_id, id }),
    loop: 'mails',
  },
  review_lateness: {
    actor: 'service',
    inside: (tx, { partner_id, borrower_id: id }) => reviewBorrowers(tx, [{ partner_id, id }]),
  },
  return_suspense: {
    outside: ({ suspense_id }, context) => submitSuspenseReturn(context, suspense_id),
  },
  follow_card_order: {
    outside: ({ partner_id, order_id: id }, context) =>
      followCardOrder(context, { partner_id, id }),
  },
  book_card_news: {
    actor: 'processor',
    inside: (tx, { card_news_id }, { ports }) => bookCardEvents(tx, ports.cards, card_news_id),
  },
  write_contract: {
    outside: ({ partner_id, loan_id: id }, context) => writeContract(context, { partner_id, id }),
    loop: 'papers',
  },
  pay_due_payouts: {
    outside: async (_, context) => {
      await payProcessor(context)
      await payWaitingPayouts(context)
    },
  },
  start_installment_plan: {
    actor: 'service',
    inside: (tx, { partner_id, plan_id: id }) => startPlan(tx, { partner_id, id }),
  },
  write_plan_agreement: {
    outside: ({ partner_id, plan_id: id }, context) =>
      writePlanAgreement(context, { partner_id, id }),
    loop: 'papers',
  },
  follow_overdue_plan: { actor: 'service', inside: (tx, due) => followOverduePlan(tx, due) },
  close_data_batch: {
    actor: 'service',
    inside: (tx, { partner_id, batch_id: id }) => finishDataBatch(tx, { partner_id, id }),
  },
  assess_credit_line: {
    actor: 'service',
    inside: (tx, { partner_id, credit_line_id: id, cause }) =>
      assessLines(tx, [{ partner_id, id }], cause),
  },
}
