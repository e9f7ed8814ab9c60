/** The only SQL that writes payments, bank news and kill switches (except status: db/move.ts). */
import { type Insertable, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { isOpen, isOpenFor } from '../../platform/alerts/index.ts'
import { enterNames, haveNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { haveKeys, LENDER, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordUpdate } from '../../platform/events/index.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { isSettled } from './outcome.ts'
import { notePlanned, type PlannedBefore } from './planned-before.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

export async function insertPayments(tx: Tx, rows: Insertable<DB['payments']>[]): Promise<void> {
  if (rows.length === 0) return
  enterOrders(tx, rows)
  await tx.run(insertInto('payments', rows))
}

/**
 * Enters the ids of new payments in the directory, because bank news names payments by id alone.
 */
function enterOrders(tx: Tx, rows: readonly Insertable<DB['payments']>[]): void {
  enterNames(tx, 'order', rows, row => row.id)
}

/** Inserts the payment that reverses another, and marks the other as returned. */
export async function insertReturn(
  tx: Tx,
  { partner_id, id }: RowKey,
  row: Insertable<DB['payments']>,
): Promise<void> {
  enterOrders(tx, [row])
  await tx.run(sql`
    with returned as (update payments set returned_at = ${tx.now}
      where partner_id = ${partner_id} and id = ${id})
    ${insertInto('payments', [row])}`)
}

/**
 * Inserts a payment and its targets, in the order in which it pays them. Returns its row, which
 * needs no lock because no other transaction sees it yet.
 */
export function insertPayment(
  tx: Tx,
  row: Insertable<DB['payments']>,
  names: readonly PaymentName[] = [],
): Promise<PaymentRow> {
  enterOrders(tx, [row])
  const inserted = sql<PaymentRow>`${insertInto('payments', [row])} returning *`
  if (names.length === 0) return tx.one(inserted)
  return tx.one(sql<PaymentRow>`
    with inserted as (${inserted}), named as (${insertOfNames(row, names)})
    select * from inserted`)
}

/**
 * SQL condition: movement `m` is void because of `b`, the return of its payment. A movement voided
 * before that return had been moved to another debt.
 */
export const IS_VOIDED_BY_RETURN = sql<boolean>`(b.partner_id = m.partner_id
  and b.charged_back_payment_id = m.payment_id and m.voided_at >= b.created_at)`

/** A target of a payment, other than a fee. */
export interface PaymentName {
  readonly kind: 'installment' | 'loan' | 'bill'
  readonly id: string
}

export async function insertNames(
  tx: Tx,
  payment: Pick<PaymentRow, 'id' | 'partner_id'>,
  names: readonly PaymentName[],
): Promise<void> {
  await tx.run(insertOfNames(payment, names))
}

function insertOfNames(
  { id: payment_id, partner_id }: Pick<Insertable<DB['payments']>, 'id' | 'partner_id'>,
  names: readonly PaymentName[],
): RawBuilder<unknown> {
  const rows = names.map(({ kind, id: named_id }, position) => ({
    payment_id,
    position,
    partner_id,
    kind,
    named_id,
  }))
  return insertInto('payment_names', rows)
}

/** A payment's targets except fees, in the order in which it pays them. */
export async function readNames(tx: Tx, payment: PaymentRow): Promise<PaymentName[]> {
  const kept = await tx.all(sql<PaymentName>`
    select kind, named_id as id from payment_names
    where partner_id = ${payment.partner_id} and payment_id = ${payment.id} order by position`)
  if (kept.length > 0) return kept
  const { installment_id, bill_id, loan_id } = payment
  if (installment_id) return [{ kind: 'installment', id: installment_id }]
  if (bill_id) return [{ kind: 'bill', id: bill_id }]
  return loan_id ? [{ kind: 'loan', id: loan_id }] : []
}

/**
 * Incoming payments with one of these debts among their targets, settled and not returned; oldest
 * first. Omits payments for a single loan.
 */
export async function readPaymentsNaming(tx: Tx, debts: readonly RowKey[]): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select p.* from payments p where (p.partner_id, p.id) in (
      select partner_id, id from payments where ${haveKeys(debts, 'payments', 'bill_id')}
      union select partner_id, id from payments
        where ${haveKeys(debts, 'payments', 'installment_id')}
      union select partner_id, payment_id from payment_names
        where ${haveKeys(debts, 'payment_names', 'named_id')})
    and p.direction = 'IN' and ${isSettled('p')} and p.charged_back_payment_id is null
    order by p.id`)
}

/** Reads and locks payments in the order of their ids. */
export async function lockPayments(tx: Tx, keys: readonly RowKey[]): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where ${haveKeys(keys, 'payments')} order by id for no key update`)
}

/**
 * Locks and returns the SCHEDULED payments of a loan or bill, so that they are not sent to the bank
 * meanwhile.
 */
export async function lockScheduled(
  tx: Tx,
  purpose: 'loan_id' | 'bill_id',
  { partner_id, id }: RowKey,
): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments
    where partner_id = ${partner_id} and ${sql.ref(purpose)} = ${id} and status = 'SCHEDULED'
    order by id for no key update`)
}

export async function readPayments(tx: Tx, keys: readonly RowKey[]): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where ${haveKeys(keys, 'payments')} order by id`)
}

/**
 * The payment with this id, for callers such as the bank and operators that do not know its
 * partner; undefined if there is none.
 */
export async function findPayment(tx: Tx, id: string): Promise<PaymentRow | undefined> {
  return tx.maybe(sql<PaymentRow>`
    select * from payments where ${haveNames('payments', 'order', [id.toLowerCase()])}`)
}

export async function markSubmitted(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  await tx.run(sql`
    update payments set submitted_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id} and submitted_at is null`)
}

export async function markPaid(
  tx: Tx,
  { partner_id, id }: RowKey,
  news: BankNewsRow,
): Promise<void> {
  await tx.run(sql`
    update payments set paid_on = ${news.value_on}, paid_at = ${tx.now},
      bank_reference = ${news.bank_reference}, bank_account_id = ${news.bank_account_id},
      bank_booked_on = ${news.booked_on}, updated_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function markFailed(
  tx: Tx,
  { partner_id, id }: RowKey,
  reason: string,
): Promise<void> {
  await tx.run(sql`
    update payments set failure_reason = ${reason}, updated_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function markSentAgain(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  await tx.run(sql`
    update payments set sent_again_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id}`)
}

/** Sets `updated_at` of payments when only their allocation has changed. Locks them by id. */
export async function datePayments(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  await tx.run(sql`
    update payments p set updated_at = ${tx.now}
    from (select partner_id, id from payments where ${haveKeys(keys, 'payments')}
      order by id for no key update) n
    where p.partner_id = n.partner_id and p.id = n.id`)
}

/** Sets the amounts, in cents, of payments that are still SCHEDULED. */
export async function setAmounts(
  tx: Tx,
  payments: readonly Pick<PaymentRow, 'id' | 'partner_id' | 'amount'>[],
): Promise<void> {
  if (payments.length === 0) return
  const changed = await tx.all(sql<PlannedBefore>`
    update payments p set amount = n.amount, updated_at = ${tx.now}
    from unnest(${payments.map(p => p.partner_id)}::uuid[], ${payments.map(p => p.id)}::uuid[],
        ${payments.map(p => p.amount)}::bigint[]) as n (partner_id, id, amount)
      join payments o on o.partner_id = n.partner_id and o.id = n.id
    where p.partner_id = n.partner_id and p.id = n.id
      and p.status = 'SCHEDULED' and p.amount <> n.amount
    returning p.partner_id, p.id, o.amount, o.scheduled_on`)
  notePlanned(tx, changed)
  recordUpdates(tx, changed)
}

function recordUpdates(tx: Tx, payments: readonly RowKey[]): void {
  for (const payment of payments) recordUpdate(tx, 'payment', payment)
}

/** Sets or clears a payment's reason; returns whether it changed. */
export async function setReason(
  tx: Tx,
  { partner_id, id }: RowKey,
  reason: string | null,
): Promise<boolean> {
  const changed = await tx.all(sql<RowKey>`
    update payments set reason = ${reason}, updated_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id} and reason is distinct from ${reason}::text
    returning partner_id, id`)
  recordUpdates(tx, changed)
  return changed.length > 0
}

/** Sets the dates of locked payments in bulk, unless the bank may have their orders. */
export async function setDays(
  tx: Tx,
  payments: readonly Pick<PaymentRow, 'id' | 'partner_id' | 'scheduled_on'>[],
): Promise<void> {
  if (payments.length === 0) return
  const changed = await tx.all(sql<PlannedBefore>`
    update payments p set scheduled_on = n.scheduled_on, updated_at = ${tx.now}
    from unnest(${payments.map(p => p.partner_id)}::uuid[], ${payments.map(p => p.id)}::uuid[],
        ${payments.map(p => p.scheduled_on)}::date[]) as n (partner_id, id, scheduled_on)
      join payments o on o.partner_id = n.partner_id and o.id = n.id
    where p.partner_id = n.partner_id and p.id = n.id and p.scheduled_on <> n.scheduled_on
      and (p.status = 'SCHEDULED' or p.status = 'INSTRUCTED' and p.submitted_at is null)
      and not exists (select from bank_orders s where s.partner_id = p.partner_id and s.id = p.id)
    returning p.partner_id, p.id, o.amount, o.scheduled_on`)
  notePlanned(tx, changed)
  recordUpdates(tx, changed)
}

export async function restorePlanned(tx: Tx, before: readonly PlannedBefore[]): Promise<void> {
  await tx.run(sql`
    update payments p set amount = n.amount, scheduled_on = n.scheduled_on
    from unnest(${before.map(p => p.partner_id)}::uuid[], ${before.map(p => p.id)}::uuid[],
        ${before.map(p => p.amount)}::bigint[], ${before.map(p => p.scheduled_on)}::date[])
      as n (partner_id, id, amount, scheduled_on)
    where p.partner_id = n.partner_id and p.id = n.id and p.status = 'CANCELED'`)
}

/** Sets the references that the payee sees, if the payment is still SCHEDULED. */
export async function setToReferences(
  tx: Tx,
  { partner_id, id }: RowKey,
  references: readonly string[],
): Promise<void> {
  const changed = await tx.all(sql<RowKey>`
    update payments set to_references = ${references}::text[], updated_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id} and status = 'SCHEDULED'
      and to_references <> ${references}::text[]
    returning partner_id, id`)
  recordUpdates(tx, changed)
}

/** Stores bank news; returns the items that were new, in the order reported. */
export async function insertBankNews(
  tx: Tx,
  rows: Insertable<DB['bank_news']>[],
): Promise<NewBankNews[]> {
  const inserted = await tx.all(sql<NewBankNews>`
    ${insertInto('bank_news', rows)} on conflict (bank_account_id, bank_reference) do nothing
    returning id, coalesce((select d.partner_id from directory d
      where d.kind = 'order' and d.value = payment_id::text),
      ${LENDER}) as partner_id`)
  const fresh = new Map(inserted.map(row => [row.id, row]))
  return rows.flatMap(row => fresh.get(row.id) ?? [])
}

/** A new item. `partner_id` is the lender's unless the news is about a payment of a partner. */
interface NewBankNews {
  readonly id: string
  readonly partner_id: string
}

/** News with the day whose closing balance the books of its account began with, if any. */
type UnbookedNews = BankNewsRow & { readonly opened_on: Day | null }

/** Locks one item for booking; undefined if already booked. */
export async function lockUnbookedNews(tx: Tx, id: string): Promise<UnbookedNews | undefined> {
  return tx.maybe(sql<UnbookedNews>`
    select n.*, a.opened_on from bank_news n join bank_accounts a on a.id = n.bank_account_id
    where n.id = ${id} and n.booked_at is null for update of n`)
}

/** Earlier unbooked news about the same payment, in order. */
export async function findEarlierUnbookedNews(tx: Tx, news: BankNewsRow): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select id from bank_news
    where payment_id = ${news.payment_id} and booked_at is null and id < ${news.id} order by id`)
  return rows.map(row => row.id)
}

/**
 * Marks news as booked; an outcome that is already set stays. Returns whether payouts wait for
 * cash, whether the bank was found to have another order for the payment, and whether a day of the
 * account does not tie out.
 */
export function markBooked(tx: Tx, id: string, outcome: string): Promise<OpenAlerts> {
  return tx.one(sql<OpenAlerts>`
    update bank_news set booked_at = ${tx.now}, outcome = coalesce(outcome, ${outcome})
    where id = ${id} returning ${isOpen('funding_short')} as is_short,
      ${isOpenFor('order_conflict', sql`bank_news.payment_id`)} as is_in_conflict,
      ${IS_UNTIED} as is_untied`)
}

/** How many of an account's last unbooked news have its days compared again once booked. */
export const LAST_NEWS = 20

/**
 * SQL condition: the news moved cash on or before a day that was compared without it. With much
 * news to book, only the last of it has the day compared again.
 */
const IS_UNTIED = sql<boolean>`(direction is not null and exists (
    select from tie_outs t where t.bank_account_id = bank_news.bank_account_id
      and t.day >= bank_news.booked_on)
  and (select count(*) from (select from bank_news w
    where w.bank_account_id = bank_news.bank_account_id and w.booked_at is null
      and w.direction is not null limit ${LAST_NEWS} + 1) w) <= ${LAST_NEWS})`

interface OpenAlerts {
  readonly is_short: boolean
  readonly is_in_conflict: boolean
  readonly is_untied: boolean
}

export async function setOutcome(tx: Tx, id: string, outcome: string): Promise<void> {
  await tx.run(sql`update bank_news set outcome = ${outcome} where id = ${id}`)
}

/** Returns false if the switch is already active. */
export async function insertSwitch(tx: Tx, row: Insertable<DB['kill_switches']>): Promise<boolean> {
  const inserted = await tx.run(sql`
    ${insertInto('kill_switches', [row])}
    on conflict (partner_id, kind) where lifted_at is null do nothing`)
  return inserted === 1
}

export async function setDeactivated(tx: Tx, activated: RowKey): Promise<void> {
  await tx.run(sql`
    update kill_switches set lifted_by = ${tx.actor}, lifted_at = ${tx.now}
    where partner_id = ${activated.partner_id} and id = ${activated.id}`)
}

/** Fills `returned_at` in the payments of older exports, which lack it. */
export async function upgradeOlderPayments(client: pg.ClientBase): Promise<void> {
  await client.query(`update payments p set returned_at = b.created_at from payments b
    where b.partner_id = p.partner_id and b.charged_back_payment_id = p.id`)
}
