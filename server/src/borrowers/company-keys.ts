/** Which companies a number may mean, for lists that are filtered by one. Pure. */
import { IDENTIFIER_TYPES, parseCompanyIdentifier } from '../kit/identifiers/index.ts'

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
