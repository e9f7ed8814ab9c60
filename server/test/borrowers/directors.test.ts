/** Directors: faults, choice of the representative, and data missing for a direct debit. */
import { DirectorCreation } from '@headroom/contract'
import { describe, expect, test } from 'vitest'
import {
  fullName,
  readBirthDate,
  readDirectors,
  representativeData,
  representativeOf,
  withRepresentative,
} from '../../src/companies/borrowers/directors.ts'
import { FaultCollector } from '../../src/companies/borrowers/faults.ts'
import {
  isComplete,
  missingForDirectDebit,
} from '../../src/companies/borrowers/repayment-methods/direct-debit-data.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { ProblemError } from '../../src/platform/kit/problem.ts'

const TODAY = day('2026-11-21')

function directors(...given: object[]) {
  const faults = new FaultCollector()
  const read = readDirectors(
    given.map(one => DirectorCreation.parse(one)),
    TODAY,
    newId,
    faults,
  )
  return { read, faults }
}

function names(faults: FaultCollector): string[] {
  try {
    faults.throwAny()
    return []
  } catch (error) {
    return (error as ProblemError).extras.invalid_params!.map(param => param.name)
  }
}

describe('a birth date', () => {
  const fault = (text: string) => {
    const faults = new FaultCollector()
    readBirthDate(text, 'birth_date', TODAY, faults)
    return names(faults).length > 0
  }

  test.each([
    ['2008-11-21', false, 'turns 18 today'],
    ['2008-11-22', true, 'turns 18 tomorrow'],
    ['2026-11-22', true, 'is not born yet'],
    ['1906-11-21', true, 'was born 120 years ago'],
    ['1906-11-22', false, 'is 119'],
  ])('%s: %s, expected %s', (text, expected) => {
    expect(fault(text)).toBe(expected)
  })

  test('29 February counts as the end of February', () => {
    const faults = new FaultCollector()
    readBirthDate('2008-02-29', 'birth_date', day('2026-02-28'), faults)
    expect(names(faults)).toEqual([])
  })
})

test('every fault of every director is reported by its path', () => {
  const { faults } = directors(
    { nationality: 'Frankreich', birth_date: addDays(TODAY, 1) },
    { address: { country: 'ZZ' } },
    { entity_type: 'business', identifier: '404833047', identifier_type: 'siren' },
  )
  expect(names(faults)).toEqual([
    'directors.0.birth_date',
    'directors.0.nationality',
    'directors.1.address.country',
    'directors.2.identifier',
  ])
})

test('a director is a person or a business, and no other type in the list', () => {
  expect(DirectorCreation.parse({}).entity_type).toBe('people')
  expect(DirectorCreation.safeParse({ entity_type: 'business' }).success).toBe(true)
  expect(DirectorCreation.safeParse({ entity_type: 'loan' }).success).toBe(false)
})

test('a director keeps its id, a new one gets one', () => {
  const id = newId()
  const { read } = directors({ id }, { first_name: 'Léa' })
  expect(read[0]!.id).toBe(id)
  expect(read[1]!.id).not.toBe(id)
})

describe('the representative', () => {
  const COMPLETE = {
    first_name: 'Léa',
    last_name: 'Garnier',
    birth_date: '1980-05-03',
    nationality: 'FRA',
    address: { country: 'FRA' },
  }

  test('is the managing person with the most complete data', () => {
    const { read } = directors(
      { entity_type: 'business', legal_name: 'Holding' },
      { ...COMPLETE, role: 'NON_DIRECTOR', first_name: 'Max' },
      { first_name: 'Zoé' },
      COMPLETE,
    )
    expect(fullName(representativeOf(read))).toBe('Léa Garnier')
    expect(representativeOf([])).toBeNull()
  })

  test('gains newly known data', () => {
    const { read } = directors({ first_name: 'Léa', last_name: 'Garnier' })
    const after = withRepresentative(
      read,
      { birth_date: '1980-05-03', nationality: 'FRA', country_of_residence: 'BEL' },
      newId,
    )
    expect(after).toHaveLength(1)
    expect(after[0]).toMatchObject({
      id: read[0]!.id,
      last_name: 'Garnier',
      address: { country: 'BEL', city: null },
    })
  })

  test('with another name is another person', () => {
    const { read } = directors(COMPLETE)
    const after = withRepresentative(read, { last_name: 'Noël', nationality: 'BEL' }, newId)
    expect(after.map(one => one.last_name)).toEqual(['Garnier', 'Noël'])
    expect(after[1]!.birth_date).toBeNull()
  })
})

test('data missing for a direct debit is listed in the order of the interface', () => {
  const nothing = {
    iban: null,
    bic: null,
    business_email: null,
    ...representativeData(null),
  }
  expect(missingForDirectDebit(nothing)).toEqual([
    'from_account.account_number',
    'from_account.bank_identifier',
    'business_email',
    'representative.birth_date',
    'representative.country_of_residence',
    'representative.nationality',
  ])
  const all = {
    iban: 'FR7630006000011234567890189',
    bic: 'AGRIFRPP',
    business_email: 'office@garnier.example',
    birth_date: '1980-05-03',
    country_of_residence: 'FRA',
    nationality: 'FRA',
  }
  expect(isComplete(all)).toBe(true)
  expect(missingForDirectDebit({ ...all, nationality: null })).toEqual([
    'representative.nationality',
  ])
})
