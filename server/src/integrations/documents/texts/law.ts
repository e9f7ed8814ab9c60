/** Text parts that depend on the borrower's country: its law, courts and VAT article. */
import { type ByLanguage, COUNTRY, isServed } from '../../../countries/index.ts'
import type { Country, Language } from '../types.ts'

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

export function lawOf(country: Country, language: Language): Law {
  const { name, court_seat, authority } = COUNTRY[country].law
  return { law: name[language], court_seat: court_seat[language], authority }
}

/**
 * The article exempting interest from VAT in the payer's country. For countries that are not
 * served, it is the directive's.
 */
export function vatArticle(country: string, language: Language): string {
  const article = isServed(country) ? COUNTRY[country].law.vat_article : DIRECTIVE
  return typeof article === 'string' ? article : article[language]
}

/** The sentence a bill must contain because it shows no VAT (Directive 2006/112/EC, art. 226). */
export function vatSentence(country: string, language: Language): string {
  return VAT_SENTENCES[language](vatArticle(country, language))
}
