/**
 * Books one item of bank news: moves its payment and publishes the fact, or passes a transfer on
 * for matching. News that cannot be matched goes to suspense with the reason.
 */
import { publishFact } from '../../../facts.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { cashOfNews, fitsDirection, isForeign } from '../bank-accounts.ts'
import { bookProcessorNews } from '../card-settlement/book-processor-news.ts'
import { lockPaymentMoney } from '../lock-payment-money.ts'
import {
  findEarlierUnbookedNews,
  lockUnbookedNews,
  markBooked,
  markFailed,
  markPaid,
} from '../store.ts'
import { moveToSuspense } from '../suspense/move-to-suspense.ts'
import { bookReturnNews } from '../suspense/return-suspense.ts'
import { lockReturnOrder } from '../suspense/store.ts'
import type { BankNewsRow, PaymentRow } from '../types.ts'
import { bookOwnCash, isOwnCash } from './book-own-cash.ts'
import { takeBackPayment } from './take-back-payment.ts'

/** News after which the bank has nothing left to execute. */
const FINAL = ['SETTLED', 'REJECTED', 'CANCELED']

/** The outcome of news whose cash the account's opening balance contains. Nothing is booked. */
export const BEFORE_OPENING = 'before the opening balance'

const ANOTHER_DIRECTION = 'another direction'

/**
 * Books news once. A repeated call finds it booked and does nothing. News of an account that is not
 * the lender's waits.
 */
export async function bookBankNews(tx: Tx, bank_news_id: string): Promise<void> {
  const news = await lockUnbookedNews(tx, bank_news_id)
  if (!news || (await isForeign(tx, news.bank_account_id))) return
  const outcome = isBeforeOpening(news, news.opened_on) ? BEFORE_OPENING : await book(tx, news)
  const { is_short, is_in_conflict, is_untied } = await markBooked(tx, news.id, outcome)
  // Final news shows what the bank did with its order, so the conflict is resolved.
  if (is_in_conflict && FINAL.includes(news.kind)) {
    await clearAlert(tx, 'order_conflict', news.payment_id!)
  }
  // Cash may have come in, so payouts that wait for it are tried again.
  if (is_short && news.direction === 'IN') enqueue(tx, 'pay_due_payouts', {})
  if (is_untied) {
    const { bank_account_id, booked_on: from_on } = news
    enqueue(tx, 'tie_out', { bank_account_id, from_on })
  }
}

/**
 * Whether the account's opening balance contains the cash. An order of ours is open in the books
 * until its news is booked, whatever the day.
 */
function isBeforeOpening(
  { direction, payment_id, booked_on }: BankNewsRow,
  opened_on: Day | null,
): boolean {
  const has_cash = direction !== null && payment_id === null
  return has_cash && opened_on !== null && booked_on <= opened_on
}

async function book(tx: Tx, news: BankNewsRow): Promise<string> {
  if (news.kind === 'TRANSFER_IN') {
    if (!fitsDirection(news, 'IN')) return moveToSuspense(tx, news, ANOTHER_DIRECTION)
    await publishFact(tx, 'transfer_received', { news })
    return 'attributed'
  }
  if (isOwnCash(news)) return bookOwnCash(tx, news)
  if (news.payment_id) await bookEarlier(tx, news)
  const payment = news.payment_id ? await lockPaymentMoney(tx, news.payment_id) : undefined
  const item = payment ? undefined : await lockReturnOrder(tx, news.payment_id)
  if (item) return bookReturnNews(tx, news, item)
  const ofProcessor = payment ? undefined : await bookProcessorNews(tx, news)
  if (ofProcessor) return ofProcessor
  if (!payment) return moveToSuspense(tx, { ...news, payment_id: null }, 'no such payment')
  if (payment.amount !== news.amount) return moveToSuspense(tx, news, 'another amount')
  if (!fitsDirection(news, payment.direction)) return moveToSuspense(tx, news, ANOTHER_DIRECTION)
  switch (news.kind) {
    case 'IN_TRANSIT':
      return transmit(tx, news, payment)
    case 'SETTLED':
      return settle(tx, news, payment)
    case 'REJECTED':
    case 'CANCELED':
      return followUnexecuted(tx, news, payment, NOT_EXECUTED[news.kind])
    default:
      return takeBack(tx, news, payment)
  }
}

/**
 * Books earlier news about the same payment first, because a return goes to suspense unless the
 * settlement is already booked.
 */
async function bookEarlier(tx: Tx, news: BankNewsRow): Promise<void> {
  for (const earlier of await findEarlierUnbookedNews(tx, news)) await bookBankNews(tx, earlier)
}

const OPEN = ['INSTRUCTED', 'IN_TRANSIT']

/** The payment is on its way; nothing has moved on our account yet. */
async function transmit(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (payment.status !== 'INSTRUCTED')
    return moveToSuspense(tx, news, `payment is ${payment.status}`)
  await move(tx, 'payment', [payment], 'transmit')
  return 'in transit'
}

async function settle(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (!OPEN.includes(payment.status))
    return moveToSuspense(tx, news, `payment is ${payment.status}`)
  await markPaid(tx, payment, news)
  await move(tx, 'payment', [payment], 'settle')
  const { bank_account_id, booked_on: bank_booked_on, value_on } = news
  const settled = { ...payment, bank_account_id, bank_booked_on }
  await publishFact(tx, 'payment_settled', { payment: settled, value_on })
  return 'settled'
}

const NOT_EXECUTED = {
  REJECTED: { trigger: 'fail', fact: 'payment_failed', outcome: 'failed' },
  CANCELED: { trigger: 'cancel', fact: 'payment_canceled', outcome: 'canceled' },
} as const

/**
 * Handles a payment that the bank did not execute: no money moved, and the fact carries the reason.
 */
async function followUnexecuted(
  tx: Tx,
  news: BankNewsRow,
  payment: PaymentRow,
  { trigger, fact, outcome }: (typeof NOT_EXECUTED)[keyof typeof NOT_EXECUTED],
): Promise<string> {
  if (!OPEN.includes(payment.status))
    return moveToSuspense(tx, news, `payment is ${payment.status}`)
  const reason = news.reason_code ?? news.kind
  await markFailed(tx, payment, reason)
  await move(tx, 'payment', [payment], trigger, reason)
  await publishFact(tx, fact, { payment, reason, recalled: false })
  return outcome
}

/**
 * Handles the return of a settled payment. A second return of the same payment goes to suspense.
 */
async function takeBack(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (payment.status !== 'PAID') return moveToSuspense(tx, news, `payment is ${payment.status}`)
  if (payment.returned_at) return moveToSuspense(tx, news, 'it had come back before')
  await takeBackPayment(tx, payment, {
    value_on: news.value_on,
    reason: news.reason_code,
    bank_reference: news.bank_reference,
    cash: cashOfNews(news),
    fact_reason: news.reason_code ?? news.kind,
  })
  return 'returned'
}
