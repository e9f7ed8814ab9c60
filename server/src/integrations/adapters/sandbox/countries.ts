/** Where the sandbox generates companies and accounts: the served countries and a few others. */
import {
  type Alpha3,
  alpha3,
  COUNTRIES,
  type CountryCode,
  type GeneratorCountry,
} from '@headroom/contract'
import {
  COUNTRY,
  type IbanLayout,
  type SandboxLanguage,
  type SandboxPlace,
} from '../../../countries/index.ts'
import { fakePlacesIn } from '../../../countries/sandbox-numbers.ts'

/** The countries that the generators accept, ISO 3166-1 alpha-3. */
export type SandboxCountry = GeneratorCountry

interface Where {
  /** The country of the registry. Iceland has none here, so companies there are French branches. */
  readonly register: CountryCode
  /** The country code in IBANs, alpha-2. */
  readonly iban_country: CountryCode | 'IS'
  readonly iban: IbanLayout
  readonly bic: string
  /** Separates the numbers of places that share a registry or banks. */
  readonly series: number
  readonly places: readonly SandboxPlace[]
}

function served(code: CountryCode): Where {
  const { bic, iban, places } = COUNTRY[code].sandbox
  return { register: code, iban_country: code, iban, bic, series: 0, places }
}

const ICELANDIC_IBAN: IbanLayout = {
  bank: '998',
  seedLength: 6,
  sealLength: 10,
  compose: (bank, seed, seal) => `${bank}26${seed}${seal}`,
  seedAt: 10,
}

/** Overseas France uses French registries and banks. */
const MORE: Readonly<Record<Exclude<SandboxCountry, Alpha3>, Where>> = {
  GUF: {
    ...served('FR'),
    series: 1,
    places: fakePlacesIn('fr', ['97300 Cayenne', '97310 Kourou']),
  },
  MAF: {
    ...served('FR'),
    series: 2,
    places: fakePlacesIn('fr', ['97150 Marigot', '97150 Grand-Case']),
  },
  REU: {
    ...served('FR'),
    series: 3,
    places: fakePlacesIn('fr', ['97400 Saint-Denis', '97410 Saint-Pierre', '97460 Saint-Paul']),
  },
  ISL: {
    register: 'FR',
    iban_country: 'IS',
    iban: ICELANDIC_IBAN,
    bic: 'HDRMISRE',
    series: 4,
    places: fakePlacesIn('is', ['101 Reykjavík', '600 Akureyri', '220 Hafnarfjörður']),
  },
}

const SERVED = new Map<string, Where>(COUNTRIES.map(code => [alpha3(code), served(code)]))

/** The registry, banks and towns of a country (alpha-3) that the generators accept. */
export function sandboxCountryOf(country: SandboxCountry): Where {
  return isMore(country) ? MORE[country] : SERVED.get(country)!
}

function isMore(country: SandboxCountry): country is keyof typeof MORE {
  return Object.hasOwn(MORE, country)
}

/** How IBANs of a country (alpha-2) are generated; null if the sandbox has none there. */
export function ibanLayout(code: string): IbanLayout | null {
  const places = [...SERVED.values(), MORE.ISL]
  return places.find(place => place.iban_country === code)?.iban ?? null
}

/** Streets by language, with # for the house number. */
export const STREETS: Readonly<Record<SandboxLanguage, readonly string[]>> = {
  fr: [
    '# rue de la République',
    '# avenue Jean Jaurès',
    '# rue du Commerce',
    '# boulevard Victor Hugo',
    '# rue des Tanneurs',
    '# place du Marché',
  ],
  de: ['Hauptstraße #', 'Bahnhofstraße #', 'Lindenallee #', 'Am Markt #', 'Gartenweg #'],
  es: ['Calle Mayor, #', 'Calle del Sol, #', 'Avenida de la Paz, #', 'Plaza Nueva, #'],
  nl: ['Kerkstraat #', 'Molenweg #', 'Stationsplein #', 'Nieuwstraat #', 'Havenkade #'],
  is: ['Laugavegur #', 'Skólavörðustígur #', 'Hafnarstræti #'],
}
