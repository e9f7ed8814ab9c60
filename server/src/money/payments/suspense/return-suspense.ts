/** Returns unmatched payments to their senders, automatically or at an operator's request. */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Transfer } from '../../../integrations/ports/bank.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import { batchJob, type Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { post, suspensePostings } from '../../../platform/ledger/index.ts'
import { cashOfNews, fitsDirection, movedBy } from '../bank-accounts.ts'
import { type LenderOrder, submitLenderOrder } from '../orders/submit-lender-order.ts'
import type { BankNewsRow } from '../types.ts'
import { moveToSuspense } from './move-to-suspense.ts'
import {
  lockSuspense,
  lockWaiting,
  markReturnSubmitted,
  readOverdue,
  SUSPENSE_COLUMNS,
  type SuspenseRow,
  setReturnOrder,
} from './store.ts'

const SLICE = 100

/** Orders the return of payments left unmatched for longer than the products allow. */
export function returnOldSuspense(today: Day): Paged {
  const read = (tx: Tx, after: string) => readOverdue(tx, today, after, SLICE)
  return batchJob('unmatched payments to return', read, async (tx, ids) => {
    const { days } = await tx.one(sql<{ days: number }>`
      select max(suspense_days) as days from products`)
    const items = await lockWaiting(tx, ids)
    for (const item of items) await orderReturn(tx, item, `unmatched for ${days} days`)
    return items.length
  })
}

/**
 * Orders the return of an item. Throws `resource_unknown`, or `state_conflict` if the item is not
 * open, brought no money, or its sender's account is unknown.
 */
export async function sendBackSuspense(tx: Tx, id: string): Promise<void> {
  const item = await lockSuspense(tx, id)
  const { from_iban } = await transferOf(tx, item)
  if (item.cash <= 0n || !from_iban) {
    const detail = 'It brought no money, or its sender’s account is unknown. Match it instead.'
    throw problem('state_conflict', detail)
  }
  await orderReturn(tx, item, 'sent back by an operator')
}

async function orderReturn(tx: Tx, item: SuspenseRow, why: string): Promise<void> {
  await move(tx, 'suspense', [item], 'send_back', why)
  await setReturnOrder(tx, item.id, tx.newId())
  await clearAlert(tx, 'suspense', item.id)
  await raiseAlert(tx, 'suspense_sent_back', item.id, `${euros(item.amount)} go back: ${why}`)
  enqueue(tx, 'return_suspense', { suspense_id: item.id })
}

async function transferOf(tx: Tx, item: SuspenseRow): Promise<Transfer> {
  const { raw } = await tx.one(sql<{ raw: Transfer }>`
    select raw from bank_news where id = ${item.bank_news_id}`)
  return raw
}

/** Sends the order to the bank. Safe to repeat: the order's id is the bank's idempotency key. */
export async function submitSuspenseReturn(context: Context, suspense_id: string): Promise<void> {
  const read = async (tx: Tx) => {
    const item = await tx.maybe(sql<SuspenseRow>`
      select ${SUSPENSE_COLUMNS} from suspense_items s
      where s.id = ${suspense_id} and s.status = 'RETURNING' and s.submitted_at is null`)
    return item ? orderOf(item, await transferOf(tx, item)) : null
  }
  await submitLenderOrder(context, read, tx => markReturnSubmitted(tx, suspense_id))
}

function orderOf(item: SuspenseRow, { from_iban, from_name, reference }: Transfer): LenderOrder {
  return {
    payment_id: item.return_order_id!,
    account: 'COLLECTION',
    amount: item.amount,
    references: reference ? [reference] : [],
    to: { iban: from_iban!, name: from_name ?? '' },
  }
}

/** Books the outcome of an order that returns a locked item. */
export async function bookReturnNews(
  tx: Tx,
  news: BankNewsRow,
  item: SuspenseRow,
): Promise<string> {
  const { kind, value_on, reason_code } = news
  const fits = fitsDirection(news, 'OUT')
  if (kind === 'IN_TRANSIT' && fits) return 'suspense is on its way back'
  const settled = kind === 'SETTLED'
  const failed = kind === 'REJECTED' || kind === 'CANCELED'
  const expected = settled || failed ? 'RETURNING' : 'SENT_BACK'
  if (!fits || item.status !== expected || item.amount !== news.amount) {
    const reason = `what was to go back, ${euros(item.amount)}, is ${item.status}`
    return moveToSuspense(tx, { ...news, payment_id: null }, reason)
  }
  const booking = {
    partner_id: LENDER_ID,
    value_on,
    postings: suspensePostings(cashOfNews(news), movedBy(news)),
  }
  if (settled) {
    await move(tx, 'suspense', [item], 'settle')
    await post(tx, [{ kind: 'suspense_returned', ...booking }])
    return 'suspense sent back'
  }
  await move(tx, 'suspense', [item], failed ? 'fail' : 'return', reason_code)
  if (!failed) await post(tx, [{ kind: 'suspense_received', ...booking }])
  await raiseAlert(tx, 'suspense', item.id, `could not be sent back: ${reason_code ?? kind}`)
  return 'suspense could not be sent back'
}
