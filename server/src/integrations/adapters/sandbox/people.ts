/** Generates directors of sandbox companies, with the personal data that a direct debit needs. */
import { alpha3 } from '@headroom/contract'
import type { SandboxLanguage } from '../../../countries/index.ts'
import { addDays, type Day, day } from '../../../platform/kit/dates.ts'
import { seededRandom } from '../../../platform/kit/seeded-random.ts'
import { type Address, addressIn } from './addresses.ts'
import { type SandboxCountry, sandboxCountryOf } from './countries.ts'

const FIRST_NAMES: Record<SandboxLanguage, string[]> = {
  fr: ['Camille', 'Claire', 'Hugo', 'Inès', 'Julien', 'Léa', 'Louis', 'Manon', 'Nicolas', 'Zoé'],
  de: ['Anna', 'Felix', 'Hannah', 'Jonas', 'Jürgen', 'Katharina', 'Lena', 'Lukas', 'Petra'],
  es: ['Alejandro', 'Carmen', 'Iñigo', 'Javier', 'Lucía', 'María', 'Pablo', 'Sofía', 'Teresa'],
  nl: ['Anouk', 'Bram', 'Daan', 'Eva', 'Femke', 'Lotte', 'Sander', 'Sanne', 'Thijs', 'Willem'],
  is: ['Anna', 'Birna', 'Einar', 'Gunnar', 'Katrín', 'Ólafur', 'Sigríður', 'Stefán'],
}

export const FAMILY_NAMES: Record<SandboxLanguage, string[]> = {
  fr: [
    'Moreau',
    'Lefèvre',
    'Girard',
    'Bonnet',
    'Fontaine',
    'Rousseau',
    'Chevalier',
    'Marchand',
    'Delacroix',
    'Perrin',
    'Gauthier',
    'Barbier',
    'Lemoine',
    'Noël',
    'Garnier',
    'Vasseur',
  ],
  de: [
    'Albrecht',
    'Brandt',
    'Falk',
    'Hoffmann',
    'Jäger',
    'Köhler',
    'Lindner',
    'Möller',
    'Neumann',
    'Pohl',
    'Richter',
    'Schröder',
    'Vogel',
    'Weiß',
    'Winkler',
    'Ziegler',
  ],
  es: [
    'Aguilar',
    'Blanco',
    'Castillo',
    'Domínguez',
    'Fernández',
    'Herrera',
    'Iglesias',
    'Marín',
    'Navarro',
    'Ortega',
    'Peña',
    'Ruiz',
    'Serrano',
    'Vega',
    'Vidal',
    'Zamora',
  ],
  nl: [
    'Bakker',
    'de Boer',
    'Dekker',
    'Hendriks',
    'Jansen',
    'Kuipers',
    'Mulder',
    'Peeters',
    'Smit',
    'van den Berg',
    'van Dijk',
    'Verhoeven',
    'Visser',
    'Vos',
    'Willems',
  ],
  is: ['Jónsdóttir', 'Guðmundsson', 'Einarsson', 'Stefánsdóttir', 'Ólafsson', 'Björnsson'],
}

export type Director = {
  first_name: string
  last_name: string
  birth_date: Day
  birth_place: { city: string; country: SandboxCountry }
  /** ISO 3166-1 alpha-3, like the other countries here. */
  nationality: SandboxCountry
  country_of_residence: SandboxCountry
  business_email: string
  address: Address
  role: 'DIRECTOR'
}

/** The director for a seed: always the same, of age, with an email at a .example domain. */
export function generateDirector(country: SandboxCountry, seed: number): Director {
  const choices = seededRandom(`director ${country} ${seed}`)
  const { register, places } = sandboxCountryOf(country)
  const home = choices.pick(places)
  const birthplace = choices.pick(places)
  const first_name = choices.pick(FIRST_NAMES[home.language])
  const last_name = choices.pick(FAMILY_NAMES[home.language])
  return {
    first_name,
    last_name,
    birth_date: addDays(day('1955-01-01'), choices.below(16_000)),
    birth_place: { city: birthplace.city, country },
    nationality: country === 'ISL' ? 'ISL' : alpha3(register),
    country_of_residence: country,
    business_email: `${ascii(first_name)}.${ascii(last_name)}@${ascii(last_name)}-${seed}.example`,
    address: addressIn(country, home, choices),
    role: 'DIRECTOR',
  }
}

/** The name in letters a to z only, for an email address: 'van Dijk' becomes vandijk. */
function ascii(name: string): string {
  const spelt = name.toLowerCase().replaceAll('ß', 'ss').replaceAll('ð', 'd').replaceAll('þ', 'th')
  return spelt.normalize('NFD').replace(/[^a-z]/g, '')
}
