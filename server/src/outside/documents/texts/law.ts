/** What the borrower's country brings into the texts: its law, courts and tax article. */
import type { Country, Language } from '../types.ts'

type ByLanguage = Record<Language, string>

/** The law, written so that it follows "governed by" in each language. */
const LAWS: Record<Country, ByLanguage> = {
  FR: {
    fr: 'droit français',
    de: 'französisches Recht',
    es: 'Derecho francés',
    nl: 'Frans recht',
    en: 'French law',
  },
  DE: {
    fr: 'droit allemand',
    de: 'deutsches Recht',
    es: 'Derecho alemán',
    nl: 'Duits recht',
    en: 'German law',
  },
  ES: {
    fr: 'droit espagnol',
    de: 'spanisches Recht',
    es: 'Derecho español',
    nl: 'Spaans recht',
    en: 'Spanish law',
  },
  NL: {
    fr: 'droit néerlandais',
    de: 'niederländisches Recht',
    es: 'Derecho neerlandés',
    nl: 'Nederlands recht',
    en: 'Dutch law',
  },
  BE: {
    fr: 'droit belge',
    de: 'belgisches Recht',
    es: 'Derecho belga',
    nl: 'Belgisch recht',
    en: 'Belgian law',
  },
}

/** The city whose commercial courts decide. */
const COURT_SEATS: Record<Country, ByLanguage> = {
  FR: { fr: 'Paris', de: 'Paris', es: 'París', nl: 'Parijs', en: 'Paris' },
  DE: {
    fr: 'Francfort-sur-le-Main',
    de: 'Frankfurt am Main',
    es: 'Fráncfort del Meno',
    nl: 'Frankfurt am Main',
    en: 'Frankfurt am Main',
  },
  ES: { fr: 'Madrid', de: 'Madrid', es: 'Madrid', nl: 'Madrid', en: 'Madrid' },
  NL: {
    fr: 'Amsterdam',
    de: 'Amsterdam',
    es: 'Ámsterdam',
    nl: 'Amsterdam',
    en: 'Amsterdam',
  },
  BE: { fr: 'Bruxelles', de: 'Brüssel', es: 'Bruselas', nl: 'Brussel', en: 'Brussels' },
}

/** The data protection authority, under its own name. */
const AUTHORITIES: Record<Country, string> = {
  FR: 'CNIL, cnil.fr',
  DE: 'BfDI, bfdi.bund.de',
  ES: 'AEPD, aepd.es',
  NL: 'Autoriteit Persoonsgegevens, autoriteitpersoonsgegevens.nl',
  BE: 'APD-GBA, dataprotectionauthority.be',
}

/**
 * The article that exempts the granting of credit from VAT, as lawyers of the country cite it.
 * All of them carry out article 135(1)(b) of Directive 2006/112/EC.
 */
const VAT_ARTICLES: Record<Country, ByLanguage | string> = {
  FR: 'art. 261 C, 1°, a CGI',
  DE: '§ 4 Nr. 8 Buchst. a UStG',
  ES: 'art. 20.Uno.18.º LIVA (Ley 37/1992)',
  NL: 'art. 11, lid 1, onderdeel j, Wet OB 1968',
  BE: {
    fr: 'art. 44, § 3, 5° CTVA',
    de: 'Art. 44 § 3 Nr. 5 MwStGB',
    es: 'art. 44, § 3, 5° WBTW/CTVA',
    nl: 'art. 44, § 3, 5° WBTW',
    en: 'art. 44, § 3, 5° WBTW/CTVA',
  },
}

const VAT_SENTENCES: Record<Language, (article: string) => string> = {
  fr: article => `Intérêts exonérés de TVA (${article}).`,
  de: article => `Zinsen sind umsatzsteuerfrei (${article}).`,
  es: article => `Intereses exentos de IVA (${article}).`,
  nl: article => `Rente is vrijgesteld van btw (${article}).`,
  en: article => `Interest is exempt from VAT (${article}).`,
}

const DIRECTIVE: ByLanguage = {
  fr: 'art. 135, § 1, b de la directive 2006/112/CE',
  de: 'Art. 135 Abs. 1 Buchst. b der Richtlinie 2006/112/EG',
  es: 'art. 135.1.b de la Directiva 2006/112/CE',
  nl: 'art. 135, lid 1, onder b, van Richtlijn 2006/112/EG',
  en: 'Art. 135(1)(b) of Directive 2006/112/EC',
}

export type Law = { law: string; court_seat: string; authority: string }

/** Law, courts and data protection authority of the borrower's country. */
export function lawOf(country: Country, language: Language): Law {
  return {
    law: LAWS[country][language],
    court_seat: COURT_SEATS[country][language],
    authority: AUTHORITIES[country],
  }
}

/** The article behind the exemption in the payer's country; the directive's for any other. */
export function vatArticle(country: string, language: Language): string {
  const article = Object.hasOwn(VAT_ARTICLES, country)
    ? VAT_ARTICLES[country as Country]
    : DIRECTIVE
  return typeof article === 'string' ? article : article[language]
}

/** What a bill must say because it shows no VAT (Directive 2006/112/EC, art. 226). */
export function vatSentence(country: string, language: Language): string {
  return VAT_SENTENCES[language](vatArticle(country, language))
}
