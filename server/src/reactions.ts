/** Who acts on which fact, in which order, in the same transaction: one flat list. */
import {
  attributeTransfer,
  correctBill,
  followCanceledBillDebit,
  returnPartnerShare,
  settleBillDebit,
  settlePartnerShare,
  syncBillLines,
} from './bills/index.ts'
import { completeBorrower, markMandatesUsed } from './borrowers/index.ts'
import {
  assessAfterData,
  assessAfterRepayment,
  createCreditLineIfDue,
} from './credit-lines/index.ts'
import type { Reactions } from './facts.ts'
import { followInvoiceLoan } from './invoices/index.ts'
import {
  cancelApprovedLoans,
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
import { completeOnboarding, joinOnboarding } from './onboardings/index.ts'
import { dropSharePayment, referBorrower, returnShare, settleShare } from './referrers/index.ts'
import { openSubscriptions, returnFee, settleFee } from './subscriptions/index.ts'

/** A mandate lapses 36 months after its last debit. */
const noteMandateUse: Reactions['payment_settled'][number] = async (tx, { payment, value_on }) => {
  if (payment.mandate_id) await markMandatesUsed(tx, [payment.mandate_id], value_on)
}

export const reactions: Reactions = {
  borrower_created: [joinOnboarding, referBorrower, openSubscriptions],
  borrower_signed: [completeOnboarding],
  borrower_progressed: [createCreditLineIfDue, completeBorrower],
  business_data_shared: [assessAfterData],
  kyb_approved: [decideWaitingLoans],
  kyb_rejected: [declineWaitingLoans, cancelApprovedLoans],
  repayment_method_chosen: [chooseRepaymentMethod],
  payment_settled: [
    ...[noteMandateUse, settlePayout, settleCollection, settleBillDebit, settleRefund],
    ...[settleShare, settleFee, settlePartnerShare],
  ],
  payment_failed: [failPayout, dropSharePayment],
  payment_canceled: [cancelPayout, followCanceledDebit, followCanceledBillDebit, dropSharePayment],
  payment_returned: [
    ...[returnPayout, returnRepayment, returnRefund],
    ...[returnShare, returnFee, returnPartnerShare],
  ],
  transfer_received: [attributeTransfer],
  loan_money_changed: [
    correctBill,
    (tx, fact, actor) => followInvoiceLoan(tx, fact.loan_id, actor),
    (tx, fact, actor) => syncBillLines(tx, [fact.loan_id], actor),
    assessAfterRepayment,
  ],
}
