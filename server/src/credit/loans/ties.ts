/** Lists what depends on a loan's money: its debits and refunds, and dependents in other rooms. */
import { type RawBuilder, sql } from 'kysely'
import { type LoanTies, tieConditions } from '../../facts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LoanRow } from './store.ts'

export interface Ties extends LoanTies {
  /** Whether debits of the loan were ever planned. */
  readonly debits: boolean
  /** Whether it has refunds, or money that waits for a known account. */
  readonly refunds: boolean
  /** Whether a write-off of the loan awaits approval. */
  readonly write_off: boolean
}

/** A locked loan with its ties. */
export interface LoanMoney {
  readonly loan: LoanRow
  readonly ties: Ties
  /** Reactions may have changed the loan since. */
  readonly is_outdated?: boolean
}

/** A row of a loan with its ties, as `tiesOf` selects them. */
export type TiedRow = LoanRow & { readonly ties: Ties }

/** This room's ties; `paying` are the payments of movements added in the same statement. */
const own = (
  paying: readonly string[],
): Record<Exclude<keyof Ties, keyof LoanTies>, RawBuilder<boolean>> => ({
  debits: sql`exists (select from payments p
    where p.loan_id = l.id and p.direction = 'IN' and p.payment_method <> 'SCT')`,
  refunds: sql`(exists (select from payments p
      where p.loan_id = l.id and p.payment_type = 'REFUND')
    or exists (select from loan_movements m join payments p on p.id = m.payment_id
      where m.loan_id = l.id and m.voided_at is null and p.reason is not null)
    or exists (select from payments p
      where p.id = any(${paying}::uuid[]) and p.reason is not null))`,
  write_off: sql`exists (select from write_offs w
    where w.loan_id = l.id and w.status = 'PROPOSED')`,
})

/**
 * The ties of a loan `l` as one column; `paying` are the payments of movements that the same
 * statement adds and cannot see yet.
 */
export function tiesOf(tx: Tx, paying: readonly string[] = []): RawBuilder<Ties> {
  const others = Object.entries(tieConditions()).map(([tie, of]) => [tie, of(tx.today)] as const)
  const all = [...Object.entries(own(paying)), ...others].flatMap(([tie, is]) => [sql.lit(tie), is])
  return sql`jsonb_build_object(${sql.join(all)})`
}

/** Locks loans and reads them with their ties. */
export async function lockMoney(tx: Tx, loan_ids: readonly string[]): Promise<LoanMoney[]> {
  const rows = await tx.all(sql<TiedRow>`
    select l.*, ${tiesOf(tx)} as ties from loans l where l.id = any(${loan_ids}::uuid[])
    order by l.id for no key update of l`)
  return rows.map(splitTies)
}

/** The same loans, those that are outdated read again. */
export async function currentMoney(tx: Tx, money: readonly LoanMoney[]): Promise<LoanMoney[]> {
  const outdated = money.filter(one => one.is_outdated).map(({ loan }) => loan.id)
  const again = outdated.length > 0 ? await lockMoney(tx, outdated) : []
  const byId = new Map(again.map(one => [one.loan.id, one]))
  return money.map(one => byId.get(one.loan.id) ?? one)
}

export function splitTies({ ties, ...loan }: TiedRow): LoanMoney {
  return { loan, ties }
}
