/** What partners, borrowers, debtors, banks and the lender's people do of their own accord. */
import { disturbBank, repeatNews } from './bank.ts'
import { openBillCase, reportBillSent } from './bills.ts'
import {
  changeMethod,
  deactivate,
  onboard,
  reviewAgain,
  shareNews,
  shareTurnover,
} from './borrowers.ts'
import {
  clear,
  forcePost,
  issueCard,
  refundCard,
  reverse,
  swipe,
  swipeBurst,
  switchCard,
} from './cards.ts'
import type { Deed } from './choose.ts'
import {
  deleteOne,
  payPayoutAgain,
  seeToSuspense,
  setLimit,
  setTerms,
  throwOrLift,
} from './desk.ts'
import { bringInvoice, buyerPays, lendOnInvoice } from './invoices.ts'
import { borrow, borrowInParts, changeMind } from './loans.ts'
import { agreeOnTerms, fund, payArrears, payIn, payPartnerBill, repayNow, topUp } from './money.ts'
import {
  agreeOnPlan,
  closeCase,
  giveUp,
  holdInterest,
  openCase,
  payInstallment,
} from './recollection.ts'
import { activateFee, lookAround } from './rest.ts'
import { payBillTwice, payPartOfDebit, payTwice, refundLate, returnRefund } from './returns.ts'

export { onboard } from './borrowers.ts'
export type { Deed } from './choose.ts'
export { beginBusiness } from './desk.ts'

/** Named more than once is done more often. */
export const DEEDS: readonly Deed[] = [
  ...[onboard, borrow, borrow, borrow, borrow, borrow, borrow, borrow, borrow],
  ...[borrowInParts, borrowInParts, borrowInParts],
  ...[payIn, payIn, payIn, payIn, payIn, payIn, payArrears, payArrears],
  ...[disturbBank, disturbBank, disturbBank],
  ...[repeatNews, changeMind, changeMind, reviewAgain, lookAround],
  ...[bringInvoice, lendOnInvoice, lendOnInvoice, buyerPays],
  ...[topUp, changeMethod, agreeOnTerms, repayNow, fund],
  ...[issueCard, swipe, swipe, swipe, clear, clear, reverse, forcePost, refundCard],
  ...[openCase, openCase, agreeOnPlan, agreeOnPlan, payInstallment, payInstallment, closeCase],
  ...[giveUp, giveUp, holdInterest, holdInterest, payPartnerBill],
  ...[switchCard, switchCard, shareTurnover, deactivate, activateFee],
  ...[payTwice, payTwice, refundLate, refundLate, returnRefund, payBillTwice, payBillTwice],
  ...[payPartOfDebit, payPartOfDebit],
  ...[reportBillSent, reportBillSent, openBillCase, shareNews, swipeBurst],
  ...[seeToSuspense, seeToSuspense, payPayoutAgain, payPayoutAgain],
  ...[deleteOne, setLimit, setTerms, throwOrLift],
]
