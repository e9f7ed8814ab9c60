/** French law, as loan documents cite it. */
import type { CountryLaw } from '../country.ts'

export const law: CountryLaw = {
  name: {
    fr: 'droit français',
    de: 'französisches Recht',
    es: 'Derecho francés',
    nl: 'Frans recht',
    en: 'French law',
  },
  court_seat: { fr: 'Paris', de: 'Paris', es: 'París', nl: 'Parijs', en: 'Paris' },
  authority: 'CNIL, cnil.fr',
  vat_article: 'art. 261 C, 1°, a CGI',
  vat_percent: 20,
}
