/** The data of a company while the registry's answer is awaited: its number. Pure. */
import type { ParsedIdentifier } from '../../countries/index.ts'
import type { KnownCompany } from '../../integrations/ports/registry.ts'

export function awaitedCompany(number: ParsedIdentifier): KnownCompany {
  const { identifier, identifier_type, country } = number
  return {
    identifier,
    identifier_type,
    country,
    name: null,
    legal_form: null,
    vat_number: null,
    address: {},
    activity_description: null,
    nace_code: null,
    creation_date: null,
    share_capital: null,
    is_active: null,
    insolvent_since: null,
  }
}

/**
 * Whether a company has no data yet. Its name tells, which only `setCompany` adds: decisions on
 * loans change whether it is active.
 */
export function isAwaited({ name }: KnownCompany): boolean {
  return name === null
}
