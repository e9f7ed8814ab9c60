/** Finds what depends on a loan's money, in this module and in others. */
import { type RawBuilder, sql } from 'kysely'
import { type LoanLinks, loanSql } from '../../../facts.ts'
import { isOpenFor } from '../../../platform/alerts/index.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { LoanRow } from '../store.ts'

export interface LoanMoneyLinks extends LoanLinks {
  readonly debits: boolean
  /** Whether the loan has refunds, or overpaid money that waits for an operator. */
  readonly refunds: boolean
  readonly write_off: boolean
}

export interface LoanMoney {
  readonly loan: LoanRow
  readonly links: LoanMoneyLinks
  /** True if reactions may have changed the loan since it was read. */
  readonly is_outdated?: boolean
}

export type LoanWithLinks = LoanRow & { readonly links: LoanMoneyLinks }

/** The links that this module itself defines. `paying` is explained at `linksOf`. */
const own = (
  paying: readonly string[],
): Record<Exclude<keyof LoanMoneyLinks, keyof LoanLinks>, RawBuilder<boolean>> => ({
  debits: sql`exists (select from payments p
    where p.partner_id = l.partner_id and p.loan_id = l.id and p.direction = 'IN'
      and p.payment_method <> 'SCT' and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))`,
  refunds: sql`(exists (select from payments p
      where p.partner_id = l.partner_id and p.loan_id = l.id and p.payment_type = 'REFUND')
    or exists (select from loan_movements m
      join payments p on p.partner_id = m.partner_id and p.id = m.payment_id
      where m.partner_id = l.partner_id and m.loan_id = l.id and m.voided_at is null
        and p.reason is not null)
    or exists (select from payments p
      where p.partner_id = l.partner_id and p.id = any(${paying}::uuid[])
        and p.reason is not null)
    or ${isOpenFor('refund_waiting', sql`l.id`)})`,
  write_off: sql`exists (select from write_offs w
    where w.partner_id = l.partner_id and w.loan_id = l.id and w.status = 'PROPOSED')`,
})

/**
 * The links of a loan `l` as one column. `paying` are the payments of movements that the same
 * statement adds and therefore cannot see.
 */
export function linksOf(tx: Tx, paying: readonly string[] = []): RawBuilder<LoanMoneyLinks> {
  const others = Object.entries(loanSql().links).map(([name, of]) => [name, of(tx.today)] as const)
  const all = [...Object.entries(own(paying)), ...others]
  const pairs = all.flatMap(([name, is]) => [sql.lit(name), is])
  return sql`jsonb_build_object(${sql.join(pairs)})`
}

export async function lockLoansWithLinks(tx: Tx, loans: readonly RowKey[]): Promise<LoanMoney[]> {
  const rows = await tx.all(sql<LoanWithLinks>`
    select l.*, ${linksOf(tx)} as links from loans l where ${haveKeys(loans, 'l')}
    order by l.id for no key update of l`)
  return rows.map(splitLinks)
}

/** The same loans; outdated ones are locked and read again. */
export async function currentMoney(tx: Tx, money: readonly LoanMoney[]): Promise<LoanMoney[]> {
  const outdated = money.filter(one => one.is_outdated).map(({ loan }) => loan)
  const again = outdated.length > 0 ? await lockLoansWithLinks(tx, outdated) : []
  const byId = new Map(again.map(one => [one.loan.id, one]))
  return money.map(one => byId.get(one.loan.id) ?? one)
}

export function splitLinks({ links, ...loan }: LoanWithLinks): LoanMoney {
  return { loan, links }
}
