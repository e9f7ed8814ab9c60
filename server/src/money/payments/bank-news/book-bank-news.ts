/**
 * Books one item of bank news: moves its payment and publishes the fact, or passes a transfer on
 * for matching. News that cannot be matched goes to suspense with the reason.
 */
import { publishFact } from '../../../facts.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
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
import { takeBackPayment } from './take-back-payment.ts'

/** News after which the bank has nothing left to execute. */
const FINAL = ['SETTLED', 'REJECTED', 'CANCELED']

/** Books news once. A repeated call finds it booked and does nothing. */
export async function bookBankNews(tx: Tx, bank_news_id: string): Promise<void> {
  const news = await lockUnbookedNews(tx, bank_news_id)
  if (!news) return
  const outcome = await book(tx, news)
  const { is_short, is_in_conflict } = await markBooked(tx, news.id, outcome)
  // Final news shows what the bank did with its order, so the conflict is resolved.
  if (is_in_conflict && FINAL.includes(news.kind)) {
    await clearAlert(tx, 'order_conflict', news.payment_id!)
  }
  // Cash may have come in, so payouts that wait for it are tried again.
  if (is_short && ['TRANSFER_IN', 'SETTLED'].includes(news.kind)) enqueue(tx, 'pay_due_payouts', {})
}

async function book(tx: Tx, news: BankNewsRow): Promise<string> {
  if (news.kind === 'TRANSFER_IN') {
    await publishFact(tx, 'transfer_received', { news })
    return 'attributed'
  }
  if (news.payment_id) await bookEarlier(tx, news)
  const payment = news.payment_id ? await lockPaymentMoney(tx, news.payment_id) : undefined
  const item = payment ? undefined : await lockReturnOrder(tx, news.payment_id)
  if (item) return bookReturnNews(tx, news, item)
  const ofProcessor = payment ? undefined : await bookProcessorNews(tx, news)
  if (ofProcessor) return ofProcessor
  if (!payment) return moveToSuspense(tx, { ...news, payment_id: null }, 'no such payment', 0n)
  if (payment.amount !== news.amount)
    return moveMismatchToSuspense(tx, news, payment, 'another amount')
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
  if (payment.status !== 'INSTRUCTED') return moveMismatchToSuspense(tx, news, payment)
  await move(tx, 'payment', [payment], 'transmit')
  return 'in transit'
}

async function settle(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (!OPEN.includes(payment.status)) return moveMismatchToSuspense(tx, news, payment)
  await markPaid(tx, payment, news.value_on, news.bank_reference)
  await move(tx, 'payment', [payment], 'settle')
  await publishFact(tx, 'payment_settled', { payment, value_on: news.value_on })
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
  if (!OPEN.includes(payment.status)) return moveMismatchToSuspense(tx, news, payment)
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
  if (payment.status !== 'PAID') return moveMismatchToSuspense(tx, news, payment)
  if (payment.returned_at)
    return moveMismatchToSuspense(tx, news, payment, 'it had come back before')
  await takeBackPayment(tx, payment, {
    value_on: news.value_on,
    reason: news.reason_code,
    bank_reference: news.bank_reference,
    fact_reason: news.reason_code ?? news.kind,
  })
  return 'returned'
}

/**
 * The cents that the news moved on our account, negative if they left: a settlement moves them in
 * the payment's direction, a return in the opposite one. Transit, rejection and cancellation move
 * nothing.
 */
function cashOf(news: BankNewsRow, payment: PaymentRow): bigint {
  if (['IN_TRANSIT', 'REJECTED', 'CANCELED'].includes(news.kind)) return 0n
  const received = (payment.direction === 'IN') === (news.kind === 'SETTLED')
  return received ? news.amount : -news.amount
}

/** Moves news that does not fit the payment it names to suspense. */
async function moveMismatchToSuspense(
  tx: Tx,
  news: BankNewsRow,
  payment: PaymentRow,
  reason = `payment is ${payment.status}`,
): Promise<string> {
  return moveToSuspense(tx, news, reason, cashOf(news, payment))
}
