/** Which companies a name may mean, for lists that are filtered by one. */
import { IDENTIFIER_TYPES } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { type IdentifierType, parseCompanyIdentifier } from '../../countries/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'

/**
 * The keys of every company that this number could name, under any type. Unlike a new borrower,
 * a filter need not be told the type: it only finds what is there.
 */
export function companyKeys(number: string): string[] {
  const keys = new Set<string>()
  for (const type of IDENTIFIER_TYPES) {
    const result = number.trim() === '' ? null : parseCompanyIdentifier(number, type)
    if (result?.ok) keys.add(result.company_key)
  }
  return [...keys]
}

/**
 * Whether a company of the table that is called `alias` has this number of this type; a `name` is
 * its name, whatever the case. A number that is none of that type finds nothing.
 */
export function isCalled(alias: string, identifier: string, type: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  if (type === 'name') return sql`lower(${column('name')}) = lower(${identifier})`
  const result = parseCompanyIdentifier(identifier, type as IdentifierType)
  if (!result.ok) return sql`false`
  const vat = type === 'vat_number' ? result.identifier : null
  return sql`(${column('company_key')} = ${result.company_key} or ${column('vat_number')} = ${vat})`
}

/** VAT numbers as they are kept, of those names that are one. */
export function vatNumbers(names: readonly string[]): string[] {
  return names.flatMap(name => {
    const result = name.trim() === '' ? null : parseCompanyIdentifier(name, 'vat_number')
    return result?.ok ? [result.identifier] : []
  })
}

/**
 * Whether a company of the table that is called `alias` goes by one of these names: any number of
 * it, in any writing. A VAT number that does not hold the company's own is found where it is known.
 */
export function goesBy(alias: string, names: readonly string[]): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql`(${column('company_key')} = any(${names.flatMap(companyKeys)}::text[])
    or ${column('vat_number')} = any(${vatNumbers(names)}::text[])
    or ${column('identifier')} = any(${names}::text[]))`
}

/** The same, or one of them is its id. */
export function goesByOrIs(alias: string, names: readonly string[]): RawBuilder<unknown> {
  const id = sql.ref(`${alias}.id`)
  return sql`(${id} = any(${names.filter(isUuid)}::uuid[]) or ${goesBy(alias, names)})`
}

/**
 * The borrowers of a partner that go by these names or ids. Looked up once, for lists of what
 * hangs on them: a condition on the borrower beside each row would read all rows.
 */
export async function findCalled(
  tx: Tx,
  partner_id: string,
  names: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select n.id from borrowers n
    where n.partner_id = ${partner_id} and ${goesByOrIs('n', names)}`)
  return rows.map(row => row.id)
}
