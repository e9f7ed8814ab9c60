/** Lists the functions that react to each fact, in order and in the same transaction. */
import {
  completeBorrower,
  endMandateFor,
  followCompanyOfBorrowers,
  markMandatesUsed,
} from './companies/borrowers/index.ts'
import { followCompanyOfCounterparties } from './companies/counterparties/index.ts'
import {
  assessAfterData,
  assessAfterRepayment,
  createCreditLineIfDue,
  lineFollowsMainMethod,
} from './companies/credit-lines/index.ts'
import {
  correctBills,
  failCreditRefund,
  followCanceledBillDebit,
  followEndedMandate,
  followMainMethod,
  holdRefusedBill,
  IS_BILLED,
  mailUncollectedBills,
  offerOverbilled,
  recordMailed,
  returnCreditRefund,
  returnPartnerShare,
  settleBillDebit,
  settleCreditRefund,
  settlePartnerShare,
  syncBillLines,
} from './credit/bills/index.ts'
import { cancelCards, followReturnedRepayments } from './credit/cards/index.ts'
import {
  followLateLoans,
  followMoneyOfLateLoans,
  needsLatenessReview,
  reviewLate,
} from './credit/delinquency/index.ts'
import {
  cancelApprovedLoans,
  cancelPayout,
  chooseRepaymentMethod,
  decideLoansOn,
  decideWaitingLoans,
  declineWaitingLoans,
  failPayout,
  failRefund,
  followCanceledDebit,
  followInvoiceLoans,
  leaveEndedMandate,
  logUnpaid,
  releasePayouts,
  returnPayout,
  returnRefund,
  returnRepayment,
  settleCollection,
  settlePayout,
  settleRefund,
} from './credit/loans/index.ts'
import {
  closeCasesWithout,
  followLoanMoney,
  followPlanDebit,
  followReturnedInstallment,
  followSettledCases,
  IS_IN_CASE,
  IS_IN_PLAN,
  openCaseWhenLate,
  PLANNED_PARTS,
  plansFollowMainMethod,
  remindOfInstallments,
  returnFeePayout,
  returnInstallment,
  settleFeePayout,
  settleInstallment,
} from './credit/recollection/index.ts'
import {
  announceDebits,
  attributeTransfer,
  mailEndedMandate,
  payNamedDebts,
  payReopened,
  payReopenedFees,
  payReopenedLoan,
} from './credit/repayments/index.ts'
import {
  alertUnsentFeeRefund,
  feesFollowMainMethod,
  mailUncollectedFees,
  openSubscriptions,
  returnFee,
  returnFeeRefund,
  settleFee,
  settleFeeRefund,
} from './credit/subscriptions/index.ts'
import type { FactOf, LoanLinks, LoanSql, Reaction, Reactions } from './facts.ts'
import { alertRefusedMail } from './money/partner-terms/index.ts'
import { type PaymentFor, type Purpose, purposeOf } from './money/payments/index.ts'
import { resolveStep } from './partners/decisions/index.ts'
import { completeOnboarding, joinOnboarding } from './partners/onboardings/index.ts'
import {
  dropSharePayment,
  followRefusedMail,
  referBorrower,
  returnShare,
  settleShare,
} from './partners/referrers/index.ts'
import { keysBy } from './platform/db/of-partner.ts'
import type { Tx } from './platform/db/transaction.ts'

/** A mandate lapses 36 months after the last presented debit, whatever its outcome. */
const noteMandateUse: Reactions['debits_instructed'][number] = async (tx, { payments }) => {
  await markMandatesUsed(tx, keysBy(payments, 'mandate_id'), tx.today)
}

export const sqlAboutLoans: LoanSql = {
  links: {
    bills: () => IS_BILLED,
    plans: () => IS_IN_PLAN,
    cases: () => IS_IN_CASE,
    lateness: needsLatenessReview,
  },
  planned: PLANNED_PARTS,
}

type Follow = Reactions['loan_money_changed'][number]

/** Reacts only to changed loans that have at least one of these links. */
function linked(by: readonly (keyof LoanLinks)[], follow: Follow): Follow {
  return async (tx, fact) => {
    const changes = fact.changes.filter(({ links }) => by.some(name => links[name]))
    if (changes.length > 0) await follow(tx, { changes })
  }
}

type PaymentFact = 'payment_settled' | 'payment_failed' | 'payment_canceled' | 'payment_returned'
type AboutPayment<N extends PaymentFact, P extends Purpose> = (
  tx: Tx,
  fact: Omit<FactOf<N>, 'payment'> & { readonly payment: PaymentFor<P> },
) => Promise<void>

/** Chooses the reactions to a fact about a payment by the payment's purpose. */
function byPurpose<N extends PaymentFact>(
  table: {
    readonly [P in Purpose]: readonly AboutPayment<N, P>[]
  },
): Reaction<N> {
  return async (tx, fact) => {
    // The purpose determines which columns of the row are set; the compiler cannot see that.
    const follow = table[purposeOf(fact.payment)] as readonly Reaction<N>[]
    for (const react of follow) await react(tx, fact)
  }
}

type Returned = readonly Reaction<'payment_returned'>[]
const VOID_RECEIVED: Returned = [returnInstallment, returnRepayment, followReturnedInstallment]
/** A received payment of any purpose may have repaid loans and paid installments. */
const RECEIVED_RETURNED: Returned = [
  ...VOID_RECEIVED,
  endMandateFor,
  // The surplus of other payments pays the debts that the return reopened. The rest is requested
  // by mail.
  payReopened,
  mailUncollectedBills,
]

export const reactions: Reactions = {
  company_answered: [followCompanyOfBorrowers, followCompanyOfCounterparties],
  company_found: [assessAfterData, decideWaitingLoans],
  borrower_created: [joinOnboarding, referBorrower, openSubscriptions],
  borrower_signed: [completeOnboarding],
  borrower_prohibited: [declineWaitingLoans, cancelApprovedLoans, cancelCards],
  borrower_deactivated: [cancelCards],
  borrower_progressed: [createCreditLineIfDue, completeBorrower],
  business_data_shared: [assessAfterData],
  invoice_reviewed: [decideLoansOn],
  product_changed: [openSubscriptions],
  kyb_approved: [decideWaitingLoans, releasePayouts],
  refunds_released: [releasePayouts],
  kyb_rejected: [declineWaitingLoans, cancelApprovedLoans],
  repayment_method_chosen: [chooseRepaymentMethod],
  main_method_chosen: [
    plansFollowMainMethod,
    followMainMethod,
    feesFollowMainMethod,
    lineFollowsMainMethod,
  ],
  main_method_replaced: [lineFollowsMainMethod],
  // The mail comes first, because the next reaction removes the mandate from the loans. Loans are
  // locked before their debits.
  mandate_ended: [mailEndedMandate, leaveEndedMandate, followEndedMandate],
  bill_mailed: [recordMailed],
  mail_refused: [alertRefusedMail, holdRefusedBill, followRefusedMail],
  payment_settled: [
    byPurpose({
      loan_payout: [settlePayout],
      loan_repayment: [settleCollection],
      bill_payment: [settleBillDebit],
      installment_payment: [settleInstallment],
      fee_payment: [settleFee, payReopenedFees],
      transfer: [],
      // The surplus of other payments pays the debts that the refund reopened.
      loan_refund: [settleRefund, payReopenedLoan],
      credit_refund: [settleCreditRefund],
      fee_refund: [settleFeeRefund, payReopenedFees],
      partner_payout: [settleShare, settlePartnerShare, settleFeePayout],
    }),
  ],
  payment_failed: [
    byPurpose({
      loan_payout: [failPayout],
      loan_repayment: [logUnpaid, mailUncollectedBills, endMandateFor],
      bill_payment: [mailUncollectedBills, endMandateFor],
      installment_payment: [followPlanDebit, mailUncollectedBills, endMandateFor],
      fee_payment: [mailUncollectedBills, mailUncollectedFees, endMandateFor],
      transfer: [],
      loan_refund: [failRefund],
      credit_refund: [failCreditRefund],
      fee_refund: [alertUnsentFeeRefund],
      partner_payout: [dropSharePayment],
    }),
  ],
  payment_canceled: [
    byPurpose({
      loan_payout: [cancelPayout],
      loan_repayment: [followCanceledDebit],
      bill_payment: [followCanceledBillDebit],
      installment_payment: [followPlanDebit],
      fee_payment: [],
      transfer: [],
      loan_refund: [failRefund],
      credit_refund: [failCreditRefund],
      fee_refund: [alertUnsentFeeRefund],
      partner_payout: [dropSharePayment],
    }),
  ],
  payment_returned: [
    byPurpose({
      loan_payout: [returnPayout],
      loan_repayment: RECEIVED_RETURNED,
      bill_payment: RECEIVED_RETURNED,
      installment_payment: RECEIVED_RETURNED,
      fee_payment: [
        ...VOID_RECEIVED,
        returnFee,
        endMandateFor,
        payReopened,
        payReopenedFees,
        mailUncollectedBills,
        mailUncollectedFees,
      ],
      transfer: RECEIVED_RETURNED,
      loan_refund: [returnRefund],
      credit_refund: [returnCreditRefund],
      fee_refund: [returnFeeRefund, payReopenedFees],
      partner_payout: [returnShare, returnPartnerShare, returnFeePayout],
    }),
  ],
  surplus_found: [payNamedDebts],
  transfer_received: [attributeTransfer],
  debits_instructed: [announceDebits, noteMandateUse],
  repayment_agreed: [
    (tx, { partner_id, loan_id: id }) => followLateLoans(tx, [{ partner_id, id }]),
  ],
  card_order_answered: [resolveStep],
  loan_late: [openCaseWhenLate],
  installment_late: [remindOfInstallments],
  loans_withdrawn: [closeCasesWithout],
  bills_reopened: [async (tx, { borrowers }) => reviewLate(tx, borrowers)],
  loan_money_changed: [
    linked(['bills'], correctBills),
    (tx, { changes }) => followInvoiceLoans(tx, changes),
    linked(['bills'], (tx, { changes }) => syncBillLines(tx, keysBy(changes, 'loan_id'))),
    linked(['bills'], offerOverbilled),
    linked(['plans'], followLoanMoney),
    linked(['cases'], followSettledCases),
    followReturnedRepayments,
    assessAfterRepayment,
    linked(['lateness', 'plans'], followMoneyOfLateLoans),
  ],
}
