/** The only SQL that writes answers of registries. */
import { sql } from 'kysely'
import type { CompanyNumber, RegistryAnswer } from '../../integrations/ports/registry.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'

export type NumberOfCompany = Omit<CompanyNumber, 'partner_id'>
export type GivenAnswer = Exclude<RegistryAnswer, { result: 'unavailable' }>

/**
 * Claims the look-ups of these companies for an hour. Returns the keys of those that nobody has
 * claimed in the hour before.
 */
export async function claimLookUps(tx: Tx, numbers: readonly NumberOfCompany[]): Promise<string[]> {
  const unique = [...new Map(numbers.map(number => [number.company_key, number])).values()]
  const ordered = unique.sort((a, b) => (a.company_key < b.company_key ? -1 : 1))
  const rows = await tx.all(sql<{ company_key: string }>`
    insert into registry_answers as a
      (company_key, identifier, identifier_type, country, ask_again_at)
    select n.*, ${tx.now}::timestamptz + interval '1 hour'
    from unnest(${ordered.map(n => n.company_key)}::text[],
      ${ordered.map(n => n.identifier)}::text[], ${ordered.map(n => n.identifier_type)}::text[],
      ${ordered.map(n => n.country)}::text[]) as n
    on conflict (company_key) do update set ask_again_at = excluded.ask_again_at
      where a.ask_again_at <= ${tx.now}
    returning a.company_key`)
  return rows.map(row => row.company_key)
}

/** Marks a company without a fresh answer; one may have been stored while the source was asked. */
export async function markUnavailable(tx: Tx, company_key: string): Promise<void> {
  await tx.run(sql`
    update registry_answers set unavailable_since = coalesce(unavailable_since, ${tx.now})
    where company_key = ${company_key} and coalesce(fresh_until < ${tx.today}, true)`)
}

/**
 * Stores an answer, which holds as long as its source's answers do. Returns whether it did: an
 * older answer replaces none, and that a registry does not know a company replaces no entry by
 * operators that can still be used.
 */
export async function putAnswer(
  tx: Tx,
  number: NumberOfCompany,
  answer: GivenAnswer,
): Promise<boolean> {
  const { company_key, identifier, identifier_type, country } = number
  const company = answer.result === 'found' ? JSON.stringify(answer.company) : null
  const source = await tx.maybe(sql`
    select from registry_sources where source = ${answer.source}`)
  assert(source, `${answer.source} is a source in registry_sources`)
  const stored = await tx.run(sql`
    insert into registry_answers as a (company_key, identifier, identifier_type, country,
      ask_again_at, result, company, source, raw, fetched_at, fresh_until, usable_until)
    select ${company_key}, ${identifier}, ${identifier_type}, ${country}, ${tx.now},
      ${answer.result.toUpperCase()}, ${company}::jsonb, s.source, ${answer.raw},
      ${answer.fetched_at}, ${tx.today}::date + s.fresh_days, ${tx.today}::date + s.usable_days
    from registry_sources s where s.source = ${answer.source}
    on conflict (company_key) do update set unavailable_since = null, result = excluded.result,
      company = excluded.company, source = excluded.source, raw = excluded.raw,
      fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until,
      usable_until = excluded.usable_until
    where coalesce(a.fetched_at <= excluded.fetched_at, true)
      and not (excluded.result = 'UNKNOWN' and a.result is not distinct from 'FOUND'
        and a.source = 'manual' and a.usable_until >= ${tx.today})`)
  return stored === 1
}
