/**
 * Books one piece of news from the bank: moves the payment it is about and states the fact, or
 * hands a transfer on to whoever it may pay. What fits nothing goes to suspense with its reason.
 */
import { lockExposure } from '../credit-lines/index.ts'
import { type Actor, birth, move, recordBirths } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { state } from '../facts.ts'
import { post, suspensePostings } from '../ledger/index.ts'
import {
  insertPayments,
  insertSuspense,
  lockPayments,
  markBooked,
  markFailed,
  markPaid,
  readPayments,
  takeBankNews,
  unbookedBefore,
} from './store.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

const BANK: Actor = 'bank'

/** Books news once: a second call finds it booked and does nothing. */
export async function bookBankNews(tx: Tx, bank_news_id: string): Promise<void> {
  const news = await takeBankNews(tx, bank_news_id)
  if (!news) return
  await markBooked(tx, news.id, await book(tx, news))
}

async function book(tx: Tx, news: BankNewsRow): Promise<string> {
  if (news.kind === 'TRANSFER_IN') {
    await state(tx, BANK, 'transfer_received', { news })
    return 'attributed'
  }
  const payment = news.payment_id ? await lockForBooking(tx, news, news.payment_id) : undefined
  if (!payment) return suspend(tx, { ...news, payment_id: null }, 'no such payment', 0n)
  if (payment.amount !== news.amount) return unfit(tx, news, payment, 'another amount')
  switch (news.kind) {
    case 'SETTLED':
      return settle(tx, news, payment)
    case 'REJECTED':
      return fail(tx, news, payment)
    case 'CANCELED':
      return cancel(tx, news, payment)
    default:
      return takeBack(tx, news, payment)
  }
}

/**
 * Locks a payment after the line it draws on, in the house's order, once everything that the bank
 * told of it before is booked: a return must not be taken for one of nothing.
 */
async function lockForBooking(
  tx: Tx,
  news: BankNewsRow,
  payment_id: string,
): Promise<PaymentRow | undefined> {
  const [known] = await readPayments(tx, [payment_id])
  if (!known) return undefined
  await lockExposure(tx, [known.partner_id], known.borrower_id ? [known.borrower_id] : [])
  for (const earlier of await unbookedBefore(tx, news)) await bookBankNews(tx, earlier)
  const [payment] = await lockPayments(tx, [payment_id])
  return payment
}

const OPEN = ['INSTRUCTED', 'IN_TRANSIT']

async function settle(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (!OPEN.includes(payment.status)) return unfit(tx, news, payment)
  await markPaid(tx, payment.id, news.value_on, news.bank_reference)
  await move(tx, BANK, 'payment', [payment], 'settle')
  await state(tx, BANK, 'payment_settled', { payment, value_on: news.value_on })
  return 'settled'
}

async function fail(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (!OPEN.includes(payment.status)) return unfit(tx, news, payment)
  const reason = news.reason_code ?? 'REJECTED'
  await markFailed(tx, payment.id, reason)
  await move(tx, BANK, 'payment', [payment], 'fail', reason)
  await state(tx, BANK, 'payment_failed', { payment, reason })
  return 'failed'
}

async function cancel(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (!OPEN.includes(payment.status)) return unfit(tx, news, payment)
  const reason = news.reason_code ?? 'CANCELED'
  await markFailed(tx, payment.id, reason)
  await move(tx, BANK, 'payment', [payment], 'cancel', reason)
  await state(tx, BANK, 'payment_canceled', { payment, reason })
  return 'canceled'
}

/**
 * A settled payment came back: a payment of its own says so, and whoever booked the first one
 * undoes it. A second return of the same payment is a return of nothing.
 */
async function takeBack(tx: Tx, news: BankNewsRow, payment: PaymentRow): Promise<string> {
  if (payment.status !== 'PAID') return unfit(tx, news, payment)
  if (await alreadyBack(tx, payment.id)) {
    return unfit(tx, news, payment, 'it had come back before')
  }
  const born = birth('payment', ['receive'])
  const id = tx.newId()
  const incoming = payment.direction === 'IN'
  await insertPayments(tx, [
    {
      ...payment,
      id,
      payment_type: incoming ? 'CHARGEBACK' : 'RETURNED',
      direction: incoming ? 'OUT' : 'IN',
      status: born.status,
      from_account: payment.to_account,
      to_account: payment.from_account,
      charged_back_payment_id: payment.id,
      refunded_payment_id: null,
      scheduled_on: news.value_on,
      paid_on: news.value_on,
      paid_at: tx.now,
      failure_reason: news.reason_code,
      bank_reference: news.bank_reference,
      created_at: tx.now,
      updated_at: tx.now,
    },
  ])
  await recordBirths(tx, BANK, [{ id, partner_id: payment.partner_id, birth: born }])
  const reason = news.reason_code ?? news.kind
  await state(tx, BANK, 'payment_returned', {
    payment,
    back_id: id,
    value_on: news.value_on,
    reason,
  })
  return 'returned'
}

async function alreadyBack(tx: Tx, payment_id: string): Promise<boolean> {
  const { rows } = await tx.raw('select 1 from payments where charged_back_payment_id = $1', [
    payment_id,
  ])
  return rows.length > 0
}

/**
 * What a piece of news about one of our payments moved on our account: a settlement moves it the
 * payment's way, what comes back the other way, a refusal moves nothing.
 */
function cashOf(news: BankNewsRow, payment: PaymentRow): bigint {
  if (news.kind === 'REJECTED' || news.kind === 'CANCELED') return 0n
  const received = (payment.direction === 'IN') === (news.kind === 'SETTLED')
  return received ? news.amount : -news.amount
}

/** News that do not fit the payment they name. */
async function unfit(
  tx: Tx,
  news: BankNewsRow,
  payment: PaymentRow,
  reason = `payment is ${payment.status}`,
): Promise<string> {
  return suspend(tx, news, reason, cashOf(news, payment))
}

/** Kept apart until a person looks; `cash` cents have really come in, or gone out below zero. */
export async function suspend(
  tx: Tx,
  news: BankNewsRow,
  reason: string,
  cash: bigint,
): Promise<string> {
  const { id: bank_news_id, payment_id, amount, value_on } = news
  await insertSuspense(tx, { bank_news_id, payment_id, amount, cash, reason })
  if (cash !== 0n) {
    await post(tx, [{ kind: 'suspense_received', value_on, postings: suspensePostings(cash) }])
  }
  return `suspense: ${reason}`
}
