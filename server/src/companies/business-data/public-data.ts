/** Looks companies up in their registries. */
import type { Answer, Query } from '@headroom/contract'
import type { Context } from '../../context.ts'
import {
  type IdentifierType,
  type ParsedIdentifier,
  parseCompanyIdentifier,
  registerCountry,
} from '../../countries/index.ts'
import type { Company } from '../../integrations/ports/registry.ts'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import { findCompany } from '../registry/index.ts'

type PublicDataQuery = Query<'findPublicData'>

/** A German register number without its court; the query's city then names the court. */
const NO_COURT = /^\s*(HRA|HRB|GnR|PR|VR)\b/i

/** Parses the company number. Throws `request_invalid` if it or the country is invalid. */
function readNumber(query: PublicDataQuery): ParsedIdentifier {
  const { identifier, identifier_type, city } = query
  const faults: InvalidParam[] = []
  const country = query.country === undefined ? undefined : registerCountry(query.country)
  if (country === null)
    faults.push({ name: 'country', reason: 'is no country whose registers we know' })
  const entry = city && NO_COURT.test(identifier) ? `${city} ${identifier}` : identifier
  const type = identifier_type as IdentifierType | undefined
  const parsed = parseCompanyIdentifier(entry, type, country ?? undefined)
  if (!parsed.ok) faults.push({ name: 'identifier', reason: parsed.reason })
  if (faults.length > 0 || !parsed.ok) throw invalid(faults)
  return parsed
}

/** The company with this number, if its name and address match the query; else an empty list. */
export async function findPublicData(
  context: Context,
  partner_id: string,
  query: PublicDataQuery,
): Promise<Answer<'findPublicData'>> {
  const number = readNumber(query)
  const { identifier, identifier_type } = number
  const found = await findCompany(context, { ...number, partner_id })
  if (found.result !== 'found' || !matchesQuery(found.company, query)) return []
  const { company } = found
  const { address } = company
  const part = (name: string) => address[name] ?? null
  return [
    {
      identifier,
      identifier_type,
      name: company.name,
      address: {
        address_line_1: part('address_line_1'),
        address_line_2: part('address_line_2'),
        city: part('city'),
        country: part('country'),
        postal_code: part('postal_code'),
        state: part('state'),
      },
    },
  ]
}

function matchesQuery({ name, address }: Company, query: PublicDataQuery): boolean {
  const city = NO_COURT.test(query.identifier) ? undefined : query.city
  return (
    holds(name, query.name) &&
    holds(address.address_line_1, query.street) &&
    holds(address.postal_code, query.postal_code) &&
    holds(address.city, city)
  )
}

/** Whether `text` contains `part`, ignoring case, accents and spacing. */
function holds(text: string | null | undefined, part: string | undefined): boolean {
  if (part === undefined) return true
  const plain = (words: string) =>
    words.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()
  return plain(text ?? '').includes(plain(part))
}
