/** Spanish law, as loan documents cite it. */
import type { CountryLaw } from '../country.ts'

export const law: CountryLaw = {
  name: {
    fr: 'droit espagnol',
    de: 'spanisches Recht',
    es: 'Derecho español',
    nl: 'Spaans recht',
    en: 'Spanish law',
  },
  court_seat: { fr: 'Madrid', de: 'Madrid', es: 'Madrid', nl: 'Madrid', en: 'Madrid' },
  authority: 'AEPD, aepd.es',
  vat_article: 'art. 20.Uno.18.º LIVA (Ley 37/1992)',
  vat_percent: 21,
}
