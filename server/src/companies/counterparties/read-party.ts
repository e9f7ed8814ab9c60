/** Identifies the company that a request describes, or reports a fault. Pure. */
import type { CounterpartyCreation } from '@headroom/contract'
import { foreignVat, type IdentifierType, parseCompanyIdentifier } from '../../countries/index.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'

export interface Party {
  readonly company_key: string
  readonly identifier: string
  readonly identifier_type: IdentifierType | 'name'
  /** Null if only the company's name is known. */
  readonly country: string | null
  readonly name: string | null
  readonly vat_number: string | null
  readonly address: CounterpartyCreation['address']
  readonly contact: CounterpartyCreation['contact']
}

export type PartyResult = { ok: true; party: Party | null } | { ok: false; faults: InvalidParam[] }

/**
 * The company of a buyer or seller; null if the request names none. A VAT number can replace the
 * identifier, and so can a name alone. Faults are named under `at`, such as `buyer.identifier`, or
 * without prefix if `at` is empty.
 */
export function readParty(
  given: WellFormed<CounterpartyCreation> | null | undefined,
  at: string,
): PartyResult {
  if (!given) return { ok: true, party: null }
  const under = (field: string) => (at ? `${at}.${field}` : field)
  const number = given.identifier ?? given.vat_number ?? given.name
  if (!number) return { ok: true, party: null }
  const field = given.identifier ? 'identifier' : given.vat_number ? 'vat_number' : 'name'
  const type = given.identifier ? (given.identifier_type ?? undefined) : namedBy(given)
  const found = identify(number, type)
  const vat = given.vat_number ? identify(given.vat_number, 'vat_number') : null
  const faults = found.ok ? [] : [{ name: under(field), reason: found.reason }]
  if (vat && !vat.ok && field !== 'vat_number') {
    faults.push({ name: under('vat_number'), reason: vat.reason })
  }
  if (!found.ok || faults.length > 0) return { ok: false, faults }
  const party = {
    ...found.named,
    name: given.name ?? (found.named.identifier_type === 'name' ? found.named.identifier : null),
    vat_number: vat?.ok ? vat.named.identifier : null,
    address: given.address,
    // A malformed contact is harmless: the party is used only if the whole request is valid.
    contact: given.contact as CounterpartyCreation['contact'],
  }
  return { ok: true, party }
}

function namedBy(given: WellFormed<CounterpartyCreation>): 'vat_number' | 'name' {
  return given.vat_number ? 'vat_number' : 'name'
}

type Named = Pick<Party, 'company_key' | 'identifier' | 'identifier_type' | 'country'>
type Identified = { ok: true; named: Named } | { ok: false; reason: string }

function identify(number: string, type: IdentifierType | 'name' | undefined): Identified {
  if (type === 'name') {
    const name = number.trim().replace(/\s+/g, ' ')
    if (name === '') return { ok: false, reason: 'a name is not empty' }
    const company_key = `NAME:${name.toUpperCase()}`
    return {
      ok: true,
      named: { company_key, identifier: name, identifier_type: 'name', country: null },
    }
  }
  const result = parseCompanyIdentifier(number, type)
  if (result.ok) {
    const { company_key, identifier, identifier_type, country } = result
    return { ok: true, named: { company_key, identifier, identifier_type, country } }
  }
  // An invoice may name a company of an unsupported country; a loan on that invoice is declined.
  const vat = type === undefined || type === 'vat_number' ? foreignVat(number) : null
  if (vat) {
    const country = vat.slice(0, 2)
    return {
      ok: true,
      named: {
        company_key: `${country}:vat:${vat.slice(2)}`,
        identifier: vat,
        identifier_type: 'vat_number',
        country,
      },
    }
  }
  return { ok: false, reason: result.reason }
}
