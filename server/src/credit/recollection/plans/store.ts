/** The only SQL that writes plans, installments and their parts (except status: db/move.ts). */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import type { PaymentName } from '../../../money/payments/index.ts'
import { insertInto } from '../../../platform/db/insert.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'

export type PlanRow = Omit<Selectable<DB['installment_plans']>, 'from_account'> & {
  from_account: PaymentAccount | null
}
export type InstallmentRow = Selectable<DB['plan_installments']>
export type PartRow = Selectable<DB['installment_parts']> & { kind: 'LOAN' | 'BILL' | 'FEES' }

export interface NewPlan {
  readonly plan: Insertable<DB['installment_plans']>
  readonly installments: readonly Insertable<DB['plan_installments']>[]
  readonly parts: readonly Insertable<DB['installment_parts']>[]
}

export async function insertPlan(tx: Tx, { plan, installments, parts }: NewPlan): Promise<void> {
  await tx.run(insertInto('installment_plans', [plan]))
  await tx.run(insertInto('plan_installments', installments))
  await tx.run(insertInto('installment_parts', parts))
}

export async function lockPlan(tx: Tx, id: string): Promise<PlanRow | undefined> {
  return tx.maybe(sql<PlanRow>`
    select * from installment_plans where id = ${id} for no key update`)
}

/** The id of an installment's plan. */
export async function planOf(tx: Tx, installment_id: string): Promise<string> {
  const { plan_id } = await tx.one(sql<{ plan_id: string }>`
    select plan_id from plan_installments where id = ${installment_id}`)
  return plan_id
}

/**
 * What a payment for installments of one plan is for: those installments, then the loans and bills
 * that the plan repays, in the order they are paid.
 */
export async function namesOf(tx: Tx, installment_ids: readonly string[]): Promise<PaymentName[]> {
  const debts = await tx.all(sql<PaymentName>`
    select kind, id from (
      select distinct 'loan' as kind, l.id, l.paid_out_on as day from installment_parts p
      join loans l on l.id = p.loan_id where p.installment_id in (${siblings(installment_ids)})
      union select 'bill', b.id, b.due_on from installment_parts p
      join bills b on b.id = p.bill_id where p.installment_id in (${siblings(installment_ids)})) n
    order by kind desc, day, id`)
  return [...installment_ids.map(id => ({ kind: 'installment' as const, id })), ...debts]
}

/** All installments of the plans of the given ones. */
function siblings(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select s.id from plan_installments i join plan_installments s on s.plan_id = i.plan_id
    where i.id = any(${ids}::uuid[])`
}

/** A plan's installments in order. */
export async function readInstallments(tx: Tx, plan_id: string): Promise<InstallmentRow[]> {
  return tx.all(sql<InstallmentRow>`
    select * from plan_installments where plan_id = ${plan_id} order by position`)
}

/** A plan's parts by date, and within a date in the order they are paid. */
export async function readParts(tx: Tx, plan_id: string): Promise<PartRow[]> {
  return tx.all(sql<PartRow>`
    select p.* from installment_parts p
    join plan_installments i on i.id = p.installment_id
    left join loans l on l.id = p.loan_id left join bills b on b.id = p.bill_id
    where i.plan_id = ${plan_id}
    order by i.position, p.kind = 'FEES', p.kind = 'BILL', l.paid_out_on, b.due_on, p.id`)
}

/** Sets the amounts due of parts. */
export async function setDue(tx: Tx, parts: readonly { id: string; due: bigint }[]): Promise<void> {
  if (parts.length === 0) return
  await tx.run(sql`
    update installment_parts p set due = n.due
    from unnest(${parts.map(p => p.id)}::uuid[], ${parts.map(p => p.due)}::bigint[])
      as n (id, due) where p.id = n.id`)
}

/** The unpaid cents due of installments. */
export async function owedByInstallments(tx: Tx, ids: readonly string[]): Promise<bigint> {
  const { owed } = await tx.one(sql<{ owed: bigint }>`
    select coalesce(sum(greatest(due - paid, 0)), 0)::bigint as owed from installment_parts
    where installment_id = any(${ids}::uuid[])`)
  return owed
}

/** Cents that a payment pays of installments' loans and bills, by their ids. */
export async function readShares(tx: Tx, payment_id: string): Promise<Map<string, bigint>> {
  const rows = await tx.all(sql<{ id: string; amount: bigint }>`
    select coalesce(p.loan_id, v.id) as id, sum(s.amount)::bigint as amount
    from installment_shares s join installment_parts p on p.id = s.part_id
    left join bills b on b.id = p.bill_id
    -- Money of a bill that was replaced may have been booked for any of its versions.
    left join bills v on v.payer_id = b.payer_id and v.period_from = b.period_from
    where s.payment_id = ${payment_id} and s.voided_at is null and p.kind <> 'FEES'
    group by 1`)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}

/** Stores a payment's shares and adds them to the parts; a repeated share adds to the first. */
export async function insertShares(
  tx: Tx,
  rows: readonly Insertable<DB['installment_shares']>[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.run(sql`${insertInto('installment_shares', rows)}
    on conflict (payment_id, part_id) do update set
      amount = excluded.amount + case when installment_shares.voided_at is null
        then installment_shares.amount else 0 end,
      value_on = excluded.value_on, revocable_until = excluded.revocable_until, voided_at = null`)
  await tx.run(sql`
    update installment_parts p set paid = p.paid + n.amount
    from unnest(${rows.map(r => r.part_id)}::uuid[], ${rows.map(r => r.amount)}::bigint[])
      as n (id, amount) where p.id = n.id`)
}

/**
 * Limits a payment's shares to the money that it still has on each loan or bill, reducing shares of
 * later installments first.
 */
export async function trimShares(tx: Tx, payment_id: string): Promise<void> {
  await tx.run(sql`
    with shares as (select s.part_id, s.amount,
        coalesce(sum(s.amount) over (partition by p.loan_id, p.bill_id order by i.position, p.id
          rows between unbounded preceding and 1 preceding), 0) as earlier,
        (select coalesce(sum(m.amount), 0) from loan_movements m
          where m.payment_id = s.payment_id and m.voided_at is null
            and (m.loan_id = p.loan_id and m.bill_id is null or m.bill_id in (select v.id
              from bills b join bills v on v.payer_id = b.payer_id
                and v.period_from = b.period_from where b.id = p.bill_id))) as brought
      from installment_shares s join installment_parts p on p.id = s.part_id
      join plan_installments i on i.id = p.installment_id
      where s.payment_id = ${payment_id} and s.voided_at is null and p.kind <> 'FEES'),
    trimmed as (select part_id, amount, greatest(0, least(amount, brought - earlier)) as kept
      from shares where amount > brought - earlier),
    gone as (delete from installment_shares s using trimmed t
      where s.payment_id = ${payment_id} and s.part_id = t.part_id and t.kept = 0),
    less as (update installment_shares s set amount = t.kept from trimmed t
      where s.payment_id = ${payment_id} and s.part_id = t.part_id and t.kept > 0)
    update installment_parts p set paid = p.paid - (t.amount - t.kept)::bigint from trimmed t
    where p.id = t.part_id`)
}

export interface VoidedShare {
  part_id: string
  partner_id: string
  kind: string
  amount: bigint
}

/** Voids the shares of a payment and returns them. */
export async function voidShares(tx: Tx, payment_id: string): Promise<VoidedShare[]> {
  return tx.all(sql<VoidedShare>`
    with voided as (
      update installment_shares set voided_at = ${tx.now}
      where payment_id = ${payment_id} and voided_at is null
      returning part_id, partner_id, amount)
    update installment_parts p set paid = p.paid - v.amount from voided v where p.id = v.part_id
    returning v.part_id, v.partner_id, p.kind, v.amount`)
}

/** Sets the date of the last payment of installments, or null. */
export async function setPaidOn(
  tx: Tx,
  rows: readonly { id: string; paid_on: Day | null }[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.run(sql`
    update plan_installments i set paid_on = n.paid_on, updated_at = ${tx.now}
    from unnest(${rows.map(r => r.id)}::uuid[], ${rows.map(r => r.paid_on)}::date[])
      as n (id, paid_on) where i.id = n.id`)
}

export async function insertPayout(
  tx: Tx,
  row: Insertable<DB['recollection_payouts']>,
): Promise<void> {
  await tx.run(insertInto('recollection_payouts', [row]))
}
