/**
 * The only SQL that writes the tables of plans. Status changes outside `writePlan` are in
 * db/move.ts.
 */
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { enterNames } from '../../../platform/db/directory.ts'
import { insertInto } from '../../../platform/db/insert.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordFigures, recordUpdate } from '../../../platform/events/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Plan } from './rules.ts'

export interface NewPlan {
  readonly plan: Insertable<DB['installment_plans']>
  readonly installments: readonly Insertable<DB['plan_installments']>[]
  readonly parts: readonly Insertable<DB['installment_parts']>[]
}

export async function insertPlan(tx: Tx, { plan, installments, parts }: NewPlan): Promise<void> {
  enterNames(tx, 'reference', [plan, ...installments], row => row.reference)
  await tx.run(insertInto('installment_plans', [plan]))
  await tx.run(insertInto('plan_installments', installments))
  await tx.run(insertInto('installment_parts', parts))
}

/**
 * Writes the changes of a plan: amounts due, statuses, days of payment. Statuses are guarded by
 * their old values; call `recordSteps` afterwards.
 */
export async function writePlan(tx: Tx, before: Plan, after: Plan): Promise<void> {
  const parts = after.parts.filter((part, index) => part.due !== before.parts[index]!.due)
  const due_changed = new Set(parts.map(part => part.installment_id))
  const pairs = after.installments.map((now, index) => ({ now, was: before.installments[index]! }))
  const moved = pairs.filter(
    ({ now, was }) =>
      now.status !== was.status || now.paid_on !== was.paid_on || due_changed.has(now.id),
  )
  const ended = before.plan.status === after.plan.status ? [] : [after.plan]
  if (parts.length + moved.length + ended.length === 0) return
  const { partner_id } = before.plan
  for (const { now } of moved) recordUpdate(tx, 'installment', now)
  const written = await tx.one(sql<{ installments: number; plans: number }>`
    with part as (update installment_parts p set due = n.due
      from unnest(${parts.map(p => p.id)}::uuid[], ${parts.map(p => p.due)}::bigint[])
        as n (id, due) where p.partner_id = ${partner_id} and p.id = n.id),
    installment as (update plan_installments i
      set status = n.status, paid_on = n.paid_on, updated_at = ${tx.now}
      from unnest(${moved.map(({ now }) => now.id)}::uuid[],
        ${moved.map(({ was }) => was.status)}::text[],
        ${moved.map(({ now }) => now.status)}::text[],
        ${moved.map(({ now }) => now.paid_on)}::date[]) as n (id, was, status, paid_on)
      where i.partner_id = ${partner_id} and i.id = n.id and i.status = n.was returning i.id),
    plan as (update installment_plans p set status = n.status
      from unnest(${ended.map(plan => plan.id)}::uuid[],
        ${ended.map(() => before.plan.status)}::text[],
        ${ended.map(plan => plan.status)}::text[]) as n (id, was, status)
      where p.partner_id = ${partner_id} and p.id = n.id and p.status = n.was returning p.id)
    select (select count(*) from installment)::int as installments,
      (select count(*) from plan)::int as plans`)
  const whole = written.installments === moved.length && written.plans === ended.length
  assert(whole, 'no plan changed while it was followed')
}

/** Cents of a payment allocated to installments' loans and bills, by loan or bill id. */
export async function readShares(tx: Tx, { partner_id, id }: RowKey): Promise<Map<string, bigint>> {
  const rows = await tx.all(sql<{ id: string; amount: bigint }>`
    select coalesce(p.loan_id, v.id) as id, sum(s.amount)::bigint as amount
    from installment_shares s
    join installment_parts p on p.partner_id = s.partner_id and p.id = s.part_id
    left join bills b on b.partner_id = p.partner_id and b.id = p.bill_id
    -- Money for a bill that was replaced may have been booked on any of its versions.
    left join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
      and v.period_from = b.period_from
    where s.partner_id = ${partner_id} and s.payment_id = ${id} and s.voided_at is null
      and p.kind <> 'FEES'
    group by 1`)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}

/**
 * Stores a payment's shares and adds them to the parts; a second share in a part adds to the first.
 * Asserts that the payment was not returned, because a return voids its shares.
 */
export async function insertShares(
  tx: Tx,
  rows: readonly Insertable<DB['installment_shares']>[],
): Promise<void> {
  if (rows.length === 0) return
  const added = await tx.all(sql<ShareChange & { payment_id: string }>`
    with share as (${insertInto('installment_shares', rows)}
      on conflict (partner_id, payment_id, part_id) do update set
        amount = installment_shares.amount + excluded.amount,
        value_on = excluded.value_on, revocable_until = excluded.revocable_until
      where installment_shares.voided_at is null
      returning partner_id, payment_id, part_id),
    ${datedBy(tx, rows[0]!.partner_id, 'share')}
    update installment_parts p set paid = p.paid + n.amount
    from unnest(${rows.map(r => r.payment_id)}::uuid[], ${rows.map(r => r.part_id)}::uuid[],
        ${rows.map(r => r.amount)}::bigint[]) as n (payment_id, part_id, amount)
      join share s on s.payment_id = n.payment_id and s.part_id = n.part_id
    where p.partner_id = s.partner_id and p.id = s.part_id
    returning n.payment_id, p.partner_id, p.installment_id, n.amount as cents`)
  assert(added.length === rows.length, 'a returned payment pays no installments')
  for (const share of added) recordShare(tx, share.payment_id, share)
}

interface ShareChange {
  readonly partner_id: string
  readonly installment_id: string
  readonly cents: bigint
}

/** Records updates of the payment and the installment, because the view of each shows the share. */
function recordShare(tx: Tx, payment_id: string, share: ShareChange): void {
  const { partner_id, installment_id, cents } = share
  recordFigures(tx, 'payment', { partner_id, id: payment_id }, { [installment_id]: cents })
  recordUpdate(tx, 'installment', { partner_id, id: installment_id })
}

/**
 * A CTE that updates the installments of the parts in the CTE `shares`, to show when they changed.
 */
function datedBy(
  tx: Tx,
  partner_id: string,
  shares: 'share' | 'trimmed' | 'taken' | 'gone' | 'voided',
): RawBuilder<unknown> {
  return sql`dated as (update plan_installments i set updated_at = ${tx.now}
    from installment_parts a
    where a.partner_id = ${partner_id} and a.id in (select part_id from ${sql.table(shares)})
      and i.partner_id = a.partner_id and i.id = a.installment_id)`
}

/**
 * Limits a payment's shares to the money it still has on each loan or bill. Shares of later
 * installments are reduced first.
 */
export async function trimShares(tx: Tx, payment: RowKey): Promise<void> {
  const { partner_id, id: payment_id } = payment
  const trimmed = await tx.all(sql<ShareChange>`
    with shares as (select s.part_id, s.amount,
        coalesce(sum(s.amount) over (partition by p.loan_id, p.bill_id order by i.position, p.id
          rows between unbounded preceding and 1 preceding), 0) as earlier,
        (select coalesce(sum(m.amount), 0) from loan_movements m
          where m.partner_id = s.partner_id and m.payment_id = s.payment_id
            and m.voided_at is null
            and (m.loan_id = p.loan_id and m.bill_id is null or m.bill_id in (select v.id
              from bills b join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
                and v.period_from = b.period_from
                where b.partner_id = p.partner_id and b.id = p.bill_id))) as brought
      from installment_shares s
      join installment_parts p on p.partner_id = s.partner_id and p.id = s.part_id
      join plan_installments i on i.partner_id = p.partner_id and i.id = p.installment_id
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.voided_at is null and p.kind <> 'FEES'),
    trimmed as (select part_id, amount, greatest(0, least(amount, brought - earlier)) as kept
      from shares where amount > brought - earlier),
    gone as (delete from installment_shares s using trimmed t
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.part_id = t.part_id and t.kept = 0),
    less as (update installment_shares s set amount = t.kept from trimmed t
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.part_id = t.part_id and t.kept > 0),
    ${datedBy(tx, partner_id, 'trimmed')}
    update installment_parts p set paid = p.paid - (t.amount - t.kept)::bigint from trimmed t
    where p.partner_id = ${partner_id} and p.id = t.part_id
    returning p.partner_id, p.installment_id, (t.kept - t.amount)::bigint as cents`)
  for (const share of trimmed) recordShare(tx, payment_id, share)
}

/**
 * Reverses up to `cents` of the fees that a payment has prepaid in other installments, last
 * installment first. Returns the cents reversed.
 */
export async function takeFeeShares(
  tx: Tx,
  { partner_id, id: payment_id }: RowKey,
  installment_ids: readonly string[],
  cents: bigint,
): Promise<bigint> {
  const taken = await tx.all(sql<ShareChange>`
    with ahead as (select s.part_id, s.amount,
        sum(s.amount) over (order by i.position desc, p.id) - s.amount as later
      from installment_shares s
      join installment_parts p on p.partner_id = s.partner_id and p.id = s.part_id
      join plan_installments i on i.partner_id = p.partner_id and i.id = p.installment_id
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.voided_at is null and p.kind = 'FEES' and i.id <> all(${installment_ids}::uuid[])),
    taken as (select part_id, amount, least(amount, ${cents}::bigint - later)::bigint as cents
      from ahead where later < ${cents}::bigint),
    gone as (delete from installment_shares s using taken t
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.part_id = t.part_id and t.cents = t.amount),
    less as (update installment_shares s set amount = t.amount - t.cents from taken t
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.part_id = t.part_id and t.cents < t.amount),
    ${datedBy(tx, partner_id, 'taken')}
    update installment_parts p set paid = p.paid - t.cents from taken t
    where p.partner_id = ${partner_id} and p.id = t.part_id
    returning p.partner_id, p.installment_id, -t.cents as cents`)
  for (const share of taken) recordShare(tx, payment_id, share)
  return taken.reduce((sum, share) => sum - share.cents, 0n)
}

export async function deleteShares(
  tx: Tx,
  { partner_id, id: payment_id }: RowKey,
  installment_ids: readonly string[],
): Promise<{ kind: string; amount: bigint }[]> {
  const deleted = await tx.all(sql<ShareChange & { kind: string; amount: bigint }>`
    with gone as (delete from installment_shares s using installment_parts p
      where s.partner_id = ${partner_id} and s.payment_id = ${payment_id}
        and s.voided_at is null and p.partner_id = s.partner_id and p.id = s.part_id
        and p.installment_id = any(${installment_ids}::uuid[])
      returning s.part_id, s.amount),
    ${datedBy(tx, partner_id, 'gone')}
    update installment_parts p set paid = p.paid - g.amount from gone g
    where p.partner_id = ${partner_id} and p.id = g.part_id
    returning p.partner_id, p.installment_id, p.kind, g.amount, -g.amount as cents`)
  for (const share of deleted) recordShare(tx, payment_id, share)
  return deleted
}

export interface VoidedShare {
  part_id: string
  partner_id: string
  installment_id: string
  kind: string
  amount: bigint
}

export async function voidShares(
  tx: Tx,
  { partner_id, id: payment_id }: RowKey,
): Promise<VoidedShare[]> {
  const voided = await tx.all(sql<VoidedShare>`
    with voided as (
      update installment_shares set voided_at = ${tx.now}
      where partner_id = ${partner_id} and payment_id = ${payment_id} and voided_at is null
      returning part_id, partner_id, amount),
    ${datedBy(tx, partner_id, 'voided')}
    update installment_parts p set paid = p.paid - v.amount from voided v
    where p.partner_id = ${partner_id} and p.id = v.part_id
    returning v.part_id, v.partner_id, p.installment_id, p.kind, v.amount`)
  for (const { installment_id: id } of voided) recordUpdate(tx, 'installment', { partner_id, id })
  return voided
}

export async function insertPayout(
  tx: Tx,
  row: Insertable<DB['recollection_payouts']>,
): Promise<void> {
  await tx.run(insertInto('recollection_payouts', [row]))
}

export async function noteInstallmentsReminded(
  tx: Tx,
  installments: readonly RowKey[],
): Promise<void> {
  await tx.run(sql`
    update plan_installments set reminded_on = ${tx.today}
    where ${haveKeys(installments, 'plan_installments')}`)
}
