/** Finds companies by any of their identifiers. */
import { IDENTIFIER_TYPES } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { type IdentifierType, parseCompanyIdentifier } from '../../countries/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'

/** Keys of the companies that this number may identify, under any type for which it is valid. */
export function companyKeys(number: string): string[] {
  const keys = new Set<string>()
  for (const type of IDENTIFIER_TYPES) {
    const result = number.trim() === '' ? null : parseCompanyIdentifier(number, type)
    if (result?.ok) keys.add(result.company_key)
  }
  return [...keys]
}

/**
 * SQL condition: the company in table `alias` has this identifier of this type. `name` compares
 * names case-insensitively; an invalid number matches nothing.
 */
export function matchesNumber(
  alias: string,
  identifier: string,
  type: string,
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  if (type === 'name') return sql`lower(${column('name')}) = lower(${identifier})`
  const result = parseCompanyIdentifier(identifier, type as IdentifierType)
  if (!result.ok) return sql`false`
  const vat = type === 'vat_number' ? result.identifier : null
  return sql`(${column('company_key')} = ${result.company_key} or ${column('vat_number')} = ${vat})`
}

export function vatNumbers(names: readonly string[]): string[] {
  return names.flatMap(name => {
    const result = name.trim() === '' ? null : parseCompanyIdentifier(name, 'vat_number')
    return result?.ok ? [result.identifier] : []
  })
}

/**
 * SQL condition: the company in table `alias` has one of these identifiers, in any notation. A VAT
 * number that does not contain the company number matches only if it is stored.
 */
export function matchesIdentifier(alias: string, names: readonly string[]): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql`(${column('company_key')} = any(${names.flatMap(companyKeys)}::text[])
    or ${column('vat_number')} = any(${vatNumbers(names)}::text[])
    or ${column('identifier')} = any(${names}::text[]))`
}

/** Like `matchesIdentifier`, but also matches ids. */
export function matchesIdentifierOrId(
  alias: string,
  names: readonly string[],
): RawBuilder<unknown> {
  const id = sql.ref(`${alias}.id`)
  return sql`(${id} = any(${names.filter(isUuid)}::uuid[]) or ${matchesIdentifier(alias, names)})`
}

/**
 * Ids of the partner's borrowers with these identifiers or ids. Lists look them up first, because
 * a join condition on the borrower would scan all rows.
 */
export async function findBorrowerIds(
  tx: Tx,
  partner_id: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select n.id from borrowers n
    where n.partner_id = ${partner_id} and ${matchesIdentifierOrId('n', names)}`)
  return rows.map(row => row.id)
}
