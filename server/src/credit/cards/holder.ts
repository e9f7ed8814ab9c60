/** Builds a cardholder from the request and the company's file. Pure. */
import type { BorrowerRow } from '../../companies/borrowers/index.ts'
import type { CardHolder } from '../../integrations/ports/card-issuer.ts'
import { type Day, day } from '../../platform/kit/dates.ts'

export interface CardholderInput {
  readonly first_name: string
  readonly last_name: string
  readonly email: string | null
  readonly phone_number: string | null
}

type Company = Pick<
  BorrowerRow,
  'address' | 'business_email' | 'country' | 'directors' | 'name' | 'owner'
>

/**
 * The cardholder. The birth date, and an email or phone number that the request omits, come from
 * the director or owner of the same name, never from another person. The email falls back to the
 * company's. The address is always the company's.
 */
export function holderOf(company: Company, given: CardholderInput): CardHolder {
  const { address, owner } = company
  const people = company.directors.map(d => ({
    first_name: d.first_name,
    last_name: d.last_name,
    birth_date: d.birth_date,
    email: d.business_email,
    phone_number: d.business_phone_number,
  }))
  const known = [...people, ...(owner ? [owner] : [])].filter(person => sameName(person, given))
  const find = (field: 'birth_date' | 'email' | 'phone_number') =>
    known.map(person => person[field]).find(value => value) ?? null
  const birth_day = find('birth_date')
  return {
    first_name: given.first_name,
    last_name: given.last_name,
    email: given.email ?? find('email') ?? company.business_email,
    phone_number: given.phone_number ?? find('phone_number'),
    birth_date: birth_day === null ? null : birthDay(birth_day),
    company_name: company.name,
    address: {
      line1: address?.address_line_1 ?? null,
      line2: address?.address_line_2 ?? null,
      city: address?.city ?? null,
      postal_code: address?.postal_code ?? null,
      country: company.country,
    },
  }
}

/** Some stored birth dates are timestamps. */
function birthDay(text: string): Day {
  return day(text.slice(0, 10))
}

interface PersonName {
  readonly first_name: string | null
  readonly last_name: string | null
}

function sameName(a: PersonName, b: PersonName): boolean {
  const nameOf = ({ first_name, last_name }: PersonName) =>
    `${first_name} ${last_name}`.normalize('NFC').toLowerCase()
  return nameOf(a) === nameOf(b)
}
