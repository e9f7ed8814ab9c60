/** Reads what loans and bills owe now, for plans and for cases. */
import type { CaseDebts, Status } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../../platform/kit/dates.ts'
import { maxAmount, toWire } from '../../../platform/kit/money.ts'
import { type Debt, owedAfter } from './compute.ts'

export interface DebtIds {
  readonly loan_ids: readonly string[]
  readonly bill_ids: readonly string[]
}

/** A debt as `selectDebts` reads it; cents are text, so that they stay exact in JSON. */
export interface DebtRead {
  readonly kind: 'LOAN' | 'BILL'
  readonly id: string
  readonly principal: string
  readonly interest_paid: string
  readonly rate_ppm: number
  readonly mark_up_ppm: number
  readonly fees_payer: string | null
  readonly is_written_off: boolean
  readonly interest_stops: readonly { readonly until_on: Day | null }[]
  readonly steps: readonly { readonly from_on: Day; readonly principal: string }[]
}

const FREE = { rate_ppm: 0, mark_up_ppm: 0 }

/**
 * Debts in the order they are paid: loans by payout date, then bills by due date. Bills are read
 * without their lines of the given loans, because the loans' interest already includes them.
 */
export async function readDebts(
  tx: Tx,
  partner_id: string,
  { loan_ids, bill_ids }: DebtIds,
): Promise<Debt[]> {
  const debts = selectDebts(sql`${partner_id}`, sql`${loan_ids}::uuid[]`, sql`${bill_ids}::uuid[]`)
  return (await tx.all(debts)).map(debtOf)
}

/**
 * A partner's debts with these loan and bill ids (SQL arrays). For a replaced bill, reads its
 * replacement; a void bill without one owes nothing.
 */
export function selectDebts(
  partner_id: RawBuilder<unknown>,
  loan_ids: RawBuilder<unknown>,
  bill_ids: RawBuilder<unknown>,
): RawBuilder<DebtRead> {
  return sql<DebtRead>`
    select 'LOAN' as kind, l.id, l.principal_outstanding::text as principal,
      l.interest_paid::text, l.rate_ppm, l.mark_up_ppm, l.fees_payer,
      l.written_off_on is not null as is_written_off, l.interest_stops,
      (select coalesce(jsonb_agg(jsonb_build_object('from_on', s.from_on,
          'principal', s.principal::text) order by s.from_on), '[]')
        from loan_principal_steps s
        where s.partner_id = l.partner_id and s.loan_id = l.id) as steps,
      l.paid_out_on as day
    from loans l where l.partner_id = ${partner_id} and l.id = any(${loan_ids})
    union all
    select 'BILL', b.id, coalesce(sum(i.amount - i.paid), 0)::text, '0', 0, 0, null, false, '[]',
      '[]', b.due_on
    from bills b
    left join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
      and v.period_from = b.period_from
      and v.status <> 'INVALID'
    left join bill_lines i on i.partner_id = v.partner_id and i.bill_id = v.id
      and i.loan_id <> all(${loan_ids})
    where b.partner_id = ${partner_id} and b.id = any(${bill_ids})
    group by b.partner_id, b.id order by kind desc, day, id`
}

export function debtOf({ kind, id, principal, interest_paid, ...read }: DebtRead): Debt {
  const { rate_ppm, mark_up_ppm, fees_payer, is_written_off, interest_stops, steps } = read
  return {
    kind,
    id,
    principal: maxAmount(BigInt(principal), 0n),
    steps: steps.map(({ from_on, principal }) => ({ from_on, principal: BigInt(principal) })),
    // A plan collects no interest that the partner pays, and nothing for a written-off loan.
    rates: fees_payer === 'PARTNER' || is_written_off ? FREE : { rate_ppm, mark_up_ppm },
    interest_paid: BigInt(interest_paid),
    is_written_off,
    stopped: interest_stops.some(stop => stop.until_on === null),
  }
}

interface DebtRow {
  type: 'LOAN' | 'BILL'
  id: string
  status: Status<'loan' | 'bill'>
  due_on: Day
}

/** A case's debts as of today: loans by due date, then bills; settled debts appear with 0. */
export async function caseDebts(
  tx: Tx,
  { partner_id, id: case_id }: RowKey,
  about: DebtIds,
): Promise<CaseDebts> {
  const debts = await readDebts(tx, partner_id, about)
  const owed = new Map(debts.map(debt => [debt.id, owedAfter(debt, [], tx.today)]))
  const owes = (id: string) => {
    const cents = owed.get(id) ?? 0n
    return maxAmount(cents, 0n)
  }
  const rows = await readDebtRows(tx, partner_id, about)
  return {
    recollection_case_id: case_id,
    on: wireDay(tx.today),
    currency: 'EUR',
    total: toWire(rows.reduce((sum, { id }) => sum + owes(id), 0n)),
    debts: rows.map(({ type, id, status, due_on }) => ({
      type,
      id,
      status,
      due_at: wireDay(due_on),
      owed: toWire(owes(id)),
    })),
  }
}

async function readDebtRows(
  tx: Tx,
  partner_id: string,
  { loan_ids, bill_ids }: DebtIds,
): Promise<DebtRow[]> {
  return tx.all(sql<DebtRow>`
    select 'LOAN' as type, id, status, falls_due_on as due_on from loans
      where partner_id = ${partner_id} and id = any(${loan_ids}::uuid[])
    union all
    select 'BILL', id, status, due_on from bills
      where partner_id = ${partner_id} and id = any(${bill_ids}::uuid[])
    order by type desc, due_on, id`)
}
