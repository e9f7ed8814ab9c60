/** German law, as loan documents cite it. */
import type { CountryLaw } from '../country.ts'

export const law: CountryLaw = {
  name: {
    fr: 'droit allemand',
    de: 'deutsches Recht',
    es: 'Derecho alemán',
    nl: 'Duits recht',
    en: 'German law',
  },
  court_seat: {
    fr: 'Francfort-sur-le-Main',
    de: 'Frankfurt am Main',
    es: 'Fráncfort del Meno',
    nl: 'Frankfurt am Main',
    en: 'Frankfurt am Main',
  },
  authority: 'BfDI, bfdi.bund.de',
  vat_article: '§ 4 Nr. 8 Buchst. a UStG',
  vat_percent: 19,
}
