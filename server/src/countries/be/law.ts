/** Belgian law, as loan documents cite it. */
import type { CountryLaw } from '../country.ts'

export const law: CountryLaw = {
  name: {
    fr: 'droit belge',
    de: 'belgisches Recht',
    es: 'Derecho belga',
    nl: 'Belgisch recht',
    en: 'Belgian law',
  },
  court_seat: { fr: 'Bruxelles', de: 'Brüssel', es: 'Bruselas', nl: 'Brussel', en: 'Brussels' },
  authority: 'APD-GBA, dataprotectionauthority.be',
  vat_article: {
    fr: 'art. 44, § 3, 5° CTVA',
    de: 'Art. 44 § 3 Nr. 5 MwStGB',
    es: 'art. 44, § 3, 5° WBTW/CTVA',
    nl: 'art. 44, § 3, 5° WBTW',
    en: 'art. 44, § 3, 5° WBTW/CTVA',
  },
  vat_percent: 21,
}
