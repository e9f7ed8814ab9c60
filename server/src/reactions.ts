/** Who acts on which fact, in which order, in the same transaction: one flat list. */
import {
  attributeTransfer,
  followCanceledBillDebit,
  settleBillDebit,
  syncBillLines,
} from './bills/index.ts'
import { completeBorrower } from './borrowers/index.ts'
import { createCreditLineIfDue } from './credit-lines/index.ts'
import type { Reactions } from './facts.ts'
import {
  cancelPayout,
  chooseRepaymentMethod,
  decideWaitingLoans,
  declineWaitingLoans,
  failPayout,
  followCanceledDebit,
  returnPayout,
  returnRefund,
  returnRepayment,
  settleCollection,
  settlePayout,
  settleRefund,
} from './loans/index.ts'

export const reactions: Reactions = {
  borrower_progressed: [createCreditLineIfDue, completeBorrower],
  kyb_approved: [decideWaitingLoans],
  kyb_rejected: [declineWaitingLoans],
  repayment_method_chosen: [chooseRepaymentMethod],
  payment_settled: [settlePayout, settleCollection, settleBillDebit, settleRefund],
  payment_failed: [failPayout],
  payment_canceled: [cancelPayout, followCanceledDebit, followCanceledBillDebit],
  payment_returned: [returnPayout, returnRepayment, returnRefund],
  transfer_received: [attributeTransfer],
  loan_money_changed: [(tx, fact, actor) => syncBillLines(tx, fact.loan_id, actor)],
}
