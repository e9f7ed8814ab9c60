/**
 * Books bank news about a payment to the card processor. Any outcome closes the payment, because
 * the next payment waits for that.
 */
import { sql } from 'kysely'
import { clearAlert, clearAlertsUntil, raiseAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { post, transferPostings } from '../../../platform/ledger/index.ts'
import { cashOfNews, fitsDirection, movedBy } from '../bank-accounts.ts'
import { moveToSuspense } from '../suspense/move-to-suspense.ts'
import type { BankNewsRow } from '../types.ts'
import {
  lockProcessorPayment,
  type ProcessorPayment,
  setProcessorAmount,
  setProcessorOutcome,
} from './store.ts'

const RESOURCE = 'processor_payment'

/** Returns how the news was booked, or undefined if it is not about a payment to the processor. */
export async function bookProcessorNews(tx: Tx, news: BankNewsRow): Promise<string | undefined> {
  const payment = await lockProcessorPayment(tx, news.payment_id)
  if (!payment) return undefined
  if (!fitsDirection(news, 'OUT')) return moveMismatchToSuspense(tx, news, payment)
  switch (news.kind) {
    case 'IN_TRANSIT':
      return 'on its way to the processor'
    case 'SETTLED':
      return settle(tx, news, payment)
    case 'REJECTED':
    case 'CANCELED':
      return fail(tx, news, payment)
    default:
      return takeBack(tx, news, payment)
  }
}

/** The amount that left the account counts as paid; the next payment covers any difference. */
async function settle(tx: Tx, news: BankNewsRow, payment: ProcessorPayment): Promise<string> {
  const { amount, value_on: paid_on } = news
  if (payment.status !== 'INSTRUCTED') return moveMismatchToSuspense(tx, news, payment)
  await clearAlertsUntil(tx, 'processor_unpaid', await instructedAt(tx, payment))
  if (amount !== payment.amount) {
    await setProcessorAmount(tx, payment.id, { amount, scheduled_on: payment.scheduled_on })
    await alertUnpaid(tx, payment, `${euros(amount)} have left`)
  }
  await setProcessorOutcome(tx, payment.id, { paid_on, failure_reason: null })
  await move(tx, RESOURCE, [payment], 'settle')
  await bookPayment(tx, 'processor_payment', news)
  return 'the processor is paid'
}

/**
 * When the payment was instructed. It covers everything owed by then, including earlier failed
 * payments.
 */
async function instructedAt(tx: Tx, payment: ProcessorPayment): Promise<Date> {
  const { at } = await tx.one(sql<{ at: Date }>`
    select at from state_changes
    where partner_id = ${payment.partner_id} and resource_id = ${payment.id}
      and resource = ${RESOURCE} and trigger = 'instruct'`)
  return at
}

/**
 * A rejected or canceled payment moved nothing, whatever amount the news reports, so everything is
 * still owed.
 */
async function fail(tx: Tx, news: BankNewsRow, payment: ProcessorPayment): Promise<string> {
  if (payment.status !== 'INSTRUCTED') return moveMismatchToSuspense(tx, news, payment)
  const failure_reason = news.reason_code ?? news.kind
  await setProcessorOutcome(tx, payment.id, { paid_on: null, failure_reason })
  await move(tx, RESOURCE, [payment], 'fail', failure_reason)
  await alertUnpaid(tx, payment, failure_reason)
  return 'the processor was not paid'
}

async function takeBack(tx: Tx, news: BankNewsRow, payment: ProcessorPayment): Promise<string> {
  if (payment.status !== 'PAID' || payment.amount !== news.amount) {
    return moveMismatchToSuspense(tx, news, payment)
  }
  const failure_reason = news.reason_code ?? news.kind
  await setProcessorOutcome(tx, payment.id, { paid_on: payment.paid_on, failure_reason })
  await move(tx, RESOURCE, [payment], 'return', failure_reason)
  await alertUnpaid(tx, payment, failure_reason)
  await bookPayment(tx, 'processor_payment_returned', news)
  return 'the processor was not paid'
}

function moveMismatchToSuspense(
  tx: Tx,
  news: BankNewsRow,
  { status, amount }: ProcessorPayment,
): Promise<string> {
  const reason = `the payment of ${euros(amount)} to the processor is ${status}`
  return moveToSuspense(tx, { ...news, payment_id: null }, reason)
}

/**
 * Clears the alert and raises it again, so that it dates from this failure: the settlement of a
 * payment instructed earlier must not clear it.
 */
async function alertUnpaid(tx: Tx, { id, amount }: ProcessorPayment, why: string): Promise<void> {
  await clearAlert(tx, 'processor_unpaid', id)
  await raiseAlert(tx, 'processor_unpaid', id, `${euros(amount)}: ${why}`)
}

async function bookPayment(
  tx: Tx,
  kind: 'processor_payment' | 'processor_payment_returned',
  news: BankNewsRow,
): Promise<void> {
  const processor = { code: 'card_settlement', owner_id: null } as const
  const postings = transferPostings(cashOfNews(news), processor, movedBy(news))
  const { value_on } = news
  await post(tx, [{ kind, partner_id: LENDER_ID, value_on, postings }])
}
