/** Lists the companies that wait for operators, and what each waits for. */
import type { AdminQuery, COMPANY_WAITS, CompanyToCheck } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import { type Order, type Page, readPage, viewPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'

type Waits = (typeof COMPANY_WAITS)[number]

const ENTRY_PROPOSED = (of: string) => sql`
  select from company_files f join company_proposals p on p.company_file_id = f.id
  where f.company_key = ${sql.ref(`${of}.company_key`)} and p.kind = 'ENTRY'
    and p.status = 'PROPOSED'`

/** Whether no registry answered about `a`, or none knows it although it is a borrower by now. */
const isSought = sql`(a.unavailable_since is not null or a.result = 'UNKNOWN' and exists (
  select from borrowers b where ${ofEachPartner('b')} and b.company_key = a.company_key
    and b.company->>'name' is null))`

/** Companies that wait for an entry, a confirmation or the decision of a hit. */
const PROPOSED_OR_FOUND = sql`
  select a.company_key, 'ENTRY' as waits_for, coalesce(a.unavailable_since, a.fetched_at) as since
  from registry_answers a
  where ${isSought} and not exists (${ENTRY_PROPOSED('a')})
  union all
  select f.company_key, 'CONFIRMATION', min(p.proposed_at)
  from company_proposals p join company_files f on f.id = p.company_file_id
  where p.status = 'PROPOSED' group by 1
  union all
  select f.company_key, 'HIT', min(s.screened_at)
  from screening_hits h join screenings s on s.id = h.screening_id
  join company_files f on f.id = h.company_file_id
  where h.outcome is null and not exists (select from company_proposals p
    where p.company_file_id = f.id and p.screening_hit_id = h.id and p.status = 'PROPOSED')
  group by 1`

/**
 * Companies of borrowers under KYB review whose registry data is known, and about whose review no
 * proposal is open. Without an entry, nobody knows whom to screen.
 */
const underReview = (today: Day) => sql`
  select u.* from (${reviews(today)}) u (company_key, waits_for, since)
  where u.waits_for <> 'ENTRY' or not exists (${ENTRY_PROPOSED('u')}) and not exists (
    select from registry_answers a where a.company_key = u.company_key and ${isSought})`

const reviews = (today: Day) => sql`
  select b.company_key,
    case
      when bool_and(not exists (select from company_proposals p where p.company_file_id = f.id
        and p.kind = 'ENTRY' and p.status = 'CONFIRMED')) then 'ENTRY'
      when bool_and(coalesce(f.screening_due_on <= ${today}, true)) then 'SCREENING'
      else 'REVIEW' end,
    min(c.updated_at)
  from compliance_checks c
  join borrowers b on b.partner_id = c.partner_id and b.id = c.borrower_id
  left join company_files f on f.company_key = b.company_key
  where ${ofEachPartner('c')} and c.status = 'REVIEWING' and not exists (
    select from registry_answers a where a.company_key = b.company_key and a.result is null)
    and not exists (
    select from company_proposals p where p.company_file_id = f.id and p.status = 'PROPOSED'
      and p.kind in ('APPROVAL', 'REFUSAL'))
  group by 1`

interface Row {
  readonly company_key: string
  readonly waits_for: Waits
  readonly since: Date
  readonly identifier: string
  readonly country: string
  readonly name: string | null
}

const OLDEST_FIRST: Order = {
  columns: [
    { sql: sql`w.since`, cast: 'timestamptz' },
    { sql: sql`w.company_key || ' ' || w.waits_for`, cast: 'text' },
  ],
  direction: 'asc',
}

/** Days before an approval ends from which its renewal is listed. */
const RENEWAL_DAYS = 30

const ENDS_ON = sql`least(f.review_due_on, f.screening_due_on)`
const toRenew = (today: Day) => sql`
  select f.company_key, 'RENEWAL', (${ENDS_ON} - ${RENEWAL_DAYS}::int)::timestamptz
  from company_files f
  where f.outcome = 'APPROVED' and ${ENDS_ON} <= ${addDays(today, RENEWAL_DAYS)}
    and not exists (select from company_proposals p where p.company_file_id = f.id
      and p.status = 'PROPOSED' and p.kind in ('APPROVAL', 'REFUSAL'))`

/**
 * Rows of companies that wait for operators: the key, what it waits for, and since when. With
 * `are_reviewed`, also those whose KYB review operators decide in the files.
 */
export function companiesToCheck(today: Day, are_reviewed: boolean): RawBuilder<unknown> {
  if (!are_reviewed) return PROPOSED_OR_FOUND
  return sql`${PROPOSED_OR_FOUND} union all ${underReview(today)} union all ${toRenew(today)}`
}

export async function listCompaniesToCheck(
  tx: Tx,
  { waits_for, ...request }: AdminQuery<'listCompaniesToCheck'> & { readonly path: string },
  are_reviewed: boolean,
): Promise<Page<CompanyToCheck>> {
  const all = companiesToCheck(tx.today, are_reviewed)
  const chosen = waits_for ? sql`w.waits_for = any(${waits_for}::text[])` : sql`true`
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select w.company_key, w.waits_for, w.since, n.identifier, n.country, n.name, ${key}
    from (${all}) w (company_key, waits_for, since) cross join lateral (${KNOWN_AS}) n
    where ${where} and ${chosen}`
  const page = await readPage(tx, request, OLDEST_FIRST, select)
  return viewPage(page, ({ since, ...row }) => ({
    company_key: row.company_key,
    identifier: row.identifier,
    country: row.country,
    name: row.name,
    waits_for: row.waits_for,
    waits_since: since.toISOString(),
  }))
}

/** The number and name of company `w`: a borrower's name, or else the registry's. */
const KNOWN_AS = sql`
  select k.identifier, k.country, k.name from (
    select b.identifier, b.country, nullif(b.name, b.identifier) as name, 1 as place
      from borrowers b where ${ofEachPartner('b')} and b.company_key = w.company_key
    union all
    select a.identifier, a.country, a.company->>'name', 2
      from registry_answers a where a.company_key = w.company_key
    union all
    select f.identifier, f.country, (select p.entry->>'name' from company_proposals p
        where p.company_file_id = f.id and p.kind = 'ENTRY' order by p.id desc limit 1), 3
      from company_files f where f.company_key = w.company_key) k
  order by k.name is null, k.place limit 1`
