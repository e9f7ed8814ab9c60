/** The countries of the sandbox generators: codes, languages, places and streets. Plain data. */
import type { CountryCode } from '../../../platform/kit/identifiers/index.ts'

/** The countries that the generators take, ISO 3166-1 alpha-3. */
export const SANDBOX_COUNTRIES = [
  'BEL',
  'DEU',
  'ESP',
  'FRA',
  'GUF',
  'ISL',
  'MAF',
  'NLD',
  'REU',
] as const

export type SandboxCountry = (typeof SANDBOX_COUNTRIES)[number]

export type Language = 'fr' | 'de' | 'es' | 'nl' | 'is'

export type Place = { city: string; postal_code: string; language: Language }

type Country = {
  /** The country of its IBANs, alpha-2; overseas France banks in France. */
  iban_country: CountryCode | 'IS'
  /** Where its companies are registered. Iceland has no number here: a French branch stands in. */
  register: CountryCode
  bic: string
  /** Keeps the numbers of countries that share a register or its banks apart. */
  series: number
  places: Place[]
}

const place = (language: Language) => (text: string) => {
  const [postal_code = '', city = ''] = text.split(/ (.*)/)
  return { city, postal_code, language }
}
const dutchPlace = (text: string): Place => {
  const [digits, letters, ...city] = text.split(' ')
  return { city: city.join(' '), postal_code: `${digits} ${letters}`, language: 'nl' }
}

const FRENCH = { iban_country: 'FR', register: 'FR', bic: 'HDRMFRPP' } as const

export const COUNTRIES: Record<SandboxCountry, Country> = {
  FRA: {
    ...FRENCH,
    series: 0,
    places: [
      '75011 Paris',
      '69003 Lyon',
      '13006 Marseille',
      '59000 Lille',
      '44000 Nantes',
      '33000 Bordeaux',
      '31000 Toulouse',
      '67000 Strasbourg',
      '35000 Rennes',
      '38000 Grenoble',
    ].map(place('fr')),
  },
  GUF: { ...FRENCH, series: 1, places: ['97300 Cayenne', '97310 Kourou'].map(place('fr')) },
  MAF: { ...FRENCH, series: 2, places: ['97150 Marigot', '97150 Grand-Case'].map(place('fr')) },
  REU: {
    ...FRENCH,
    series: 3,
    places: ['97400 Saint-Denis', '97410 Saint-Pierre', '97460 Saint-Paul'].map(place('fr')),
  },
  DEU: {
    iban_country: 'DE',
    register: 'DE',
    bic: 'HDRMDEFF',
    series: 0,
    places: [
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
    ].map(place('de')),
  },
  ESP: {
    iban_country: 'ES',
    register: 'ES',
    bic: 'HDRMESMM',
    series: 0,
    places: [
      '28004 Madrid',
      '08008 Barcelona',
      '46002 Valencia',
      '41001 Sevilla',
      '48001 Bilbao',
      '50003 Zaragoza',
      '29001 Málaga',
    ].map(place('es')),
  },
  NLD: {
    iban_country: 'NL',
    register: 'NL',
    bic: 'HDRMNL2A',
    series: 0,
    places: [
      '1012 AB Amsterdam',
      '2511 AA Den Haag',
      '5611 AZ Eindhoven',
      '9711 AA Groningen',
      '3011 AA Rotterdam',
      '3511 AD Utrecht',
    ].map(dutchPlace),
  },
  BEL: {
    iban_country: 'BE',
    register: 'BE',
    bic: 'HDRMBEBB',
    series: 0,
    places: [
      ...['1000 Bruxelles', '4000 Liège', '5000 Namur'].map(place('fr')),
      ...['2000 Antwerpen', '9000 Gent', '3000 Leuven'].map(place('nl')),
    ],
  },
  ISL: {
    iban_country: 'IS',
    register: 'FR',
    bic: 'HDRMISRE',
    series: 4,
    places: ['101 Reykjavík', '600 Akureyri', '220 Hafnarfjörður'].map(place('is')),
  },
}

/** The alpha-3 code under which a register's country stands above. */
export const ALPHA3: Record<CountryCode, SandboxCountry> = {
  FR: 'FRA',
  DE: 'DEU',
  ES: 'ESP',
  NL: 'NLD',
  BE: 'BEL',
}

/** Streets by language, with # for the house number. */
export const STREETS: Record<Language, string[]> = {
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
