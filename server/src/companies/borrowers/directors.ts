/** Reads a company's directors from requests and chooses the one who represents it. Pure. */
import type { CreateBorrowerBody, Director } from '@headroom/contract'
import type { z } from 'zod'
import { parseCompanyIdentifier } from '../../countries/index.ts'
import { addMonths, type Day, day } from '../../platform/kit/dates.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import type { FaultCollector } from './faults.ts'
import { fullAddress, readAddress, readCountry } from './read-fields.ts'

export type StoredDirector = z.output<typeof Director>
export type DirectorInput = WellFormed<NonNullable<CreateBorrowerBody['directors']>[number]>

/** The legal representative's data that a direct debit requires. */
export interface Representative {
  birth_date: string | null
  country_of_residence: string | null
  nationality: string | null
}

const ADULT_MONTHS = 18 * 12
const OLDEST_MONTHS = 120 * 12

/**
 * Reads a birth date. Adds a fault unless the person is at least 18 and under 120 years old today.
 */
export function readBirthDate(
  given: string | null | undefined,
  name: string,
  today: Day,
  faults: FaultCollector,
): string | null {
  if (!given) return null
  const birth_day = day(given)
  if (birth_day > today) return faults.add(name, 'is in the future')
  if (addMonths(birth_day, ADULT_MONTHS) > today) return faults.add(name, 'is of a person under 18')
  if (addMonths(birth_day, OLDEST_MONTHS) <= today) return faults.add(name, 'is over 120 years ago')
  return birth_day
}

/** Reads a representative from a form. Faults carry the form's field names. */
export function readRepresentative<T extends { [K in keyof Representative]: string }>(
  given: T,
  today: Day,
  faults: FaultCollector,
): T {
  const country = (name: 'nationality' | 'country_of_residence') =>
    readCountry(given[name], name, faults) ?? given[name]
  readBirthDate(given.birth_date, 'birth_date', today, faults)
  const countries = { nationality: country('nationality') }
  return { ...given, ...countries, country_of_residence: country('country_of_residence') }
}

/** Reads directors into their stored form: all fields present, each with an id. */
export function readDirectors(
  given: readonly (DirectorInput | undefined)[] | null | undefined,
  today: Day,
  newId: () => string,
  faults: FaultCollector,
): StoredDirector[] {
  return (given ?? []).map((item, i) => {
    const director = item ?? {}
    const name = `directors.${i}`
    readCompanyNumber(director, name, faults)
    return {
      id: director.id ?? newId(),
      entity_type: director.entity_type ?? 'people',
      role: director.role ?? 'DIRECTOR',
      title: director.title || null,
      first_name: director.first_name ?? null,
      last_name: director.last_name ?? null,
      birth_date: readBirthDate(director.birth_date, `${name}.birth_date`, today, faults),
      birth_place: director.birth_place
        ? { city: director.birth_place.city || null, country: director.birth_place.country || null }
        : null,
      nationality: readCountry(director.nationality, `${name}.nationality`, faults),
      address: readAddress(director.address, `${name}.address`, faults),
      business_email: director.business_email ?? null,
      business_phone_number: director.business_phone_number ?? null,
      identifier: director.identifier ?? null,
      identifier_type: director.identifier_type ?? null,
      legal_name: director.legal_name ?? null,
      siege_address: readAddress(director.siege_address, `${name}.siege_address`, faults),
    }
  })
}

/** Checks the number of a director that is a company, if the request gives its type. */
function readCompanyNumber(director: DirectorInput, name: string, faults: FaultCollector): void {
  const { identifier, identifier_type } = director
  if (!identifier || !identifier_type || identifier_type === 'name') return
  const result = parseCompanyIdentifier(identifier, identifier_type)
  if (!result.ok) faults.add(`${name}.identifier`, result.reason)
}

/**
 * The legal representative: a natural person, with the role DIRECTOR if there is one. Of several,
 * the one with the most complete data.
 */
export function representativeOf(directors: readonly StoredDirector[]): StoredDirector | null {
  const people = directors.filter(director => director.entity_type === 'people')
  const known = (director: StoredDirector) =>
    Object.values(representativeData(director)).filter(value => value !== null).length
  const rank = (director: StoredDirector) =>
    (director.role === 'DIRECTOR' ? 10 : 0) + known(director)
  // The sort is stable, so the first of equals wins.
  return people.toSorted((a, b) => rank(b) - rank(a))[0] ?? null
}

export function representativeData(director: StoredDirector | null): Representative {
  return {
    birth_date: director?.birth_date ?? null,
    country_of_residence: director?.address?.country ?? null,
    nationality: director?.nationality ?? null,
  }
}

export function fullName(director: StoredDirector | null): string | null {
  const names = [director?.first_name, director?.last_name].filter(Boolean)
  return names.length > 0 ? names.join(' ') : null
}

export type RepresentativeInput = WellFormed<Representative> & {
  first_name?: string | null | undefined
  last_name?: string | null | undefined
}

/**
 * Merges data about the representative into the director it may describe: one whose name does not
 * contradict the given name. Adds a director if there is none.
 */
export function withRepresentative(
  directors: readonly StoredDirector[],
  given: RepresentativeInput,
  newId: () => string,
): StoredDirector[] {
  const before = sameOrFirst(directors, given)
  const after: StoredDirector = {
    ...(before ?? unnamedDirector(newId())),
    ...known('first_name', given.first_name),
    ...known('last_name', given.last_name),
    ...known('birth_date', given.birth_date),
    ...known('nationality', given.nationality),
  }
  if (given.country_of_residence) {
    after.address = { ...(after.address ?? fullAddress({})), country: given.country_of_residence }
  }
  return before ? directors.map(d => (d === before ? after : d)) : [...directors, after]
}

function known<K extends string>(key: K, value: string | null | undefined) {
  return (value ? { [key]: value } : {}) as { [P in K]?: string }
}

/**
 * The representative among the directors whose names do not contradict the given ones, so that data
 * of differently named people is never mixed.
 */
function sameOrFirst(
  directors: readonly StoredDirector[],
  given: RepresentativeInput,
): StoredDirector | null {
  const agrees = (a: string | null, b: string | null | undefined) =>
    !a || !b || a.toLowerCase() === b.toLowerCase()
  return representativeOf(
    directors.filter(
      d => agrees(d.first_name, given.first_name) && agrees(d.last_name, given.last_name),
    ),
  )
}

function unnamedDirector(id: string): StoredDirector {
  return {
    id,
    entity_type: 'people',
    role: 'DIRECTOR',
    title: null,
    first_name: null,
    last_name: null,
    birth_date: null,
    birth_place: null,
    nationality: null,
    address: null,
    business_email: null,
    business_phone_number: null,
    identifier: null,
    identifier_type: null,
    legal_name: null,
    siege_address: null,
  }
}
