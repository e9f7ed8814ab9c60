/**
 * Matches unmatched payments with a loan, bill, installment or fee for an operator, and undoes
 * matches.
 */
import { sql } from 'kysely'
import type { Transfer } from '../../integrations/ports/bank.ts'
import {
  type BankNewsRow,
  cashOfNews,
  findPayment,
  isSentOrSettled,
  lockPayments,
  lockSuspense,
  type SuspenseRow,
  setMatched,
  takeBackPayment,
} from '../../money/payments/index.ts'
import { clearAlert, raiseAlert } from '../../platform/alerts/index.ts'
import { move } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { euros } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { post, transferPostings } from '../../platform/ledger/index.ts'
import { lockCreditRefunds, undoRefundedPayment } from '../bills/index.ts'
import { lockLoanMoney } from '../loans/index.ts'
import { loansOfPlan } from '../recollection/index.ts'
import { lockFees } from '../subscriptions/index.ts'
import { lockTargets, payTargets, reasonNotToAttribute } from './pay-targets.ts'
import { findTarget, type PaymentTarget } from './payment-targets.ts'

const SUSPENSE = { code: 'suspense', owner_id: null } as const

/**
 * Pays a loan, bill, installment or fee, given by id or reference, from suspense. The payment is
 * booked today with the bank's value date. Throws `resource_unknown`, or `state_conflict` if the
 * debt cannot be paid or no money came in.
 */
export async function matchSuspense(tx: Tx, id: string, target: string): Promise<void> {
  const target_row = await readTarget(tx, target)
  await lockTargets(tx, [target_row])
  const targets = [await readTarget(tx, target)]
  const item = await lockSuspense(tx, id)
  const reason =
    item.cash > 0n ? reasonNotToAttribute(targets, item.amount) : 'no money came with it'
  if (reason) throw problem('state_conflict', `It cannot be matched: ${reason}.`)
  await payFromSuspense(tx, item, await newsOf(tx, item), targets)
}

/**
 * Pays debts from a suspense item. The caller has locked the debts and the item, and checked
 * `reasonNotToAttribute`.
 */
export async function payFromSuspense(
  tx: Tx,
  item: SuspenseRow,
  { news, transfer }: ItemNews,
  targets: readonly PaymentTarget[],
): Promise<void> {
  const names = targets.map(({ kind, id }) => `${kind} ${id}`).join(', ')
  await move(tx, 'suspense', [item], 'match', names)
  const payment = await payTargets(tx, news, transfer, targets)
  await setMatched(tx, item.id, payment.id)
  await bookAcross(tx, 'suspense_matched', news, item.cash)
  await clearAlert(tx, 'suspense', item.id)
}

/**
 * Undoes a match: reverses its payment and returns the money to suspense. Throws `state_conflict`
 * if part of the money was refunded, as surplus or by a credit note, and the refund was not
 * returned.
 */
export async function unmatchSuspense(tx: Tx, id: string): Promise<void> {
  await lockMatchTargets(tx, id)
  const item = await lockSuspense(tx, id)
  await move(tx, 'suspense', [item], 'unmatch')
  const known = await findPayment(tx, item.matched_payment_id!)
  const [payment] = await lockPayments(tx, [known!])
  // Locks before checking, so that no planned refund is sent to the bank meanwhile.
  await tx.run(sql`
    select from payments
    where partner_id = ${payment!.partner_id} and refunded_payment_id = ${payment!.id}
    order by id for no key update`)
  const sent = await tx.maybe(sql`
    select 1 from payments r
    where r.partner_id = ${payment!.partner_id} and r.refunded_payment_id = ${payment!.id}
      and ${isSentOrSettled('r')} limit 1`)
  const credited = await lockCreditRefunds(tx, payment!)
  if (sent || credited.some(refund => refund.status !== 'SCHEDULED')) {
    throw problem('state_conflict', 'Part of this money has already been refunded.')
  }
  const { news } = await newsOf(tx, item)
  await undoRefundedPayment(tx, credited, () =>
    takeBackPayment(tx, payment!, {
      value_on: news.value_on,
      bank_reference: null,
      cash: cashOfNews(news),
      reason: 'matched by mistake',
      fact_reason: 'matched by mistake',
    }),
  )
  await setMatched(tx, item.id, null)
  await bookAcross(tx, 'suspense_unmatched', news, -item.cash)
  await raiseAlert(tx, 'suspense', item.id, `${euros(item.amount)}: the match was undone`)
}

/**
 * Locks the debts that a match has paid, and the loans of plans that change if the match is undone.
 */
async function lockMatchTargets(tx: Tx, id: string): Promise<void> {
  const { matched } = await tx.one(sql<{ matched: string | null }>`
    select matched_payment_id as matched from suspense_items where id = ${id}`)
  const payment = matched && (await findPayment(tx, matched))
  if (!payment) return
  const { partner_id } = payment
  const loans = await tx.all(sql<RowKey>`
    select distinct partner_id, loan_id as id from loan_movements
    where partner_id = ${partner_id} and payment_id = ${payment.id} order by id`)
  const plans = await tx.all(sql<RowKey>`
    select partner_id, plan_id as id from plan_installments
    where partner_id = ${partner_id} and id = ${payment.installment_id}`)
  await lockLoanMoney(tx, [...loans, ...(await loansOfPlan(tx, plans))])
  const fees = await tx.all(sql<RowKey>`
    select partner_id, fee_id as id from fee_payments
    where partner_id = ${partner_id} and payment_id = ${payment.id}`)
  await lockFees(tx, fees)
}

/** Closes an item without money as resolved. Throws `state_conflict` if money moved. */
export async function dismissSuspense(tx: Tx, id: string): Promise<void> {
  const item = await lockSuspense(tx, id)
  if (item.cash !== 0n) throw problem('state_conflict', 'Money moved: match it or send it back.')
  await move(tx, 'suspense', [item], 'dismiss')
  await clearAlert(tx, 'suspense', item.id)
}

/**
 * Takes cash out of suspense, because the payment books the same cash as received. A negative
 * amount puts it back.
 */
async function bookAcross(
  tx: Tx,
  kind: 'suspense_matched' | 'suspense_unmatched',
  news: BankNewsRow,
  amount: bigint,
): Promise<void> {
  const postings = transferPostings(SUSPENSE, cashOfNews(news), amount)
  const { value_on } = news
  await post(tx, [{ kind, partner_id: LENDER_ID, value_on, postings }])
}

export interface ItemNews {
  readonly news: BankNewsRow
  readonly transfer: Transfer
}

export async function newsOf(tx: Tx, item: SuspenseRow): Promise<ItemNews> {
  const news = await tx.one(sql<BankNewsRow>`
    select * from bank_news where id = ${item.bank_news_id}`)
  const names = news.raw as unknown as Partial<Transfer>
  const transfer = {
    to_iban: names.to_iban ?? tx.settings.lender.collection_iban,
    from_iban: names.from_iban ?? null,
    from_name: names.from_name ?? null,
    reference: names.reference ?? null,
  }
  return { news, transfer }
}

async function readTarget(tx: Tx, target: string): Promise<PaymentTarget> {
  const found = await findTarget(tx, target)
  if (!found)
    throw problem('resource_unknown', `There is no loan, bill, installment or fee ${target}.`)
  return found
}
