/** Sandbox companies, places and accounts in Germany. */
import { shuffled } from '../../platform/kit/seeded-random.ts'
import type { SandboxCountry } from '../country.ts'
import { fakePlacesIn, vatFromDigits } from '../sandbox-numbers.ts'
import { parseGermanVat } from './numbers.ts'

const PLACES = fakePlacesIn('de', [
  '52062 Aachen',
  '28195 Bremen',
  '40213 Düsseldorf',
  '60311 Frankfurt am Main',
  '20095 Hamburg',
  '30159 Hannover',
  '50667 Köln',
  '04109 Leipzig',
  '80331 München',
  '90402 Nürnberg',
  '70173 Stuttgart',
  '89073 Ulm',
])
/** The legal form by register. HRB is missing, because its companies have one of two forms. */
const FORMS: Readonly<Record<string, string>> = {
  HRA: 'KG',
  GnR: 'eG',
  PR: 'PartG',
  VR: 'e.V.',
}

export const sandbox: SandboxCountry = {
  bic: 'HDRMDEFF',
  iban: {
    bank: '9989989',
    seedLength: 8,
    sealLength: 2,
    compose: (bank, seed, seal) => bank + seed + seal,
    seedAt: 12,
  },
  places: PLACES,
  legal_forms: ['GmbH', 'UG (haftungsbeschränkt)'],
  legalFormOf: ({ identifier, chosen }) => {
    const [, register = ''] = / (HRA|HRB|GnR|PR|VR) /.exec(identifier) ?? []
    return FORMS[register] ?? chosen
  },
  // The seat is the court's town, if it is one of `PLACES`.
  seatOf: identifier => PLACES.find(place => identifier.startsWith(`${place.city} `)),
  companyNumber: seed => {
    const number = shuffled(seed, PLACES.length * 250_000)
    const court = PLACES[number % PLACES.length]!
    return `${court.city} HRB ${1_000 + Math.floor(number / PLACES.length)}`
  },
  vatNumber: (_, digits) => vatFromDigits(digits(), nine => `DE${nine}`, parseGermanVat),
}
