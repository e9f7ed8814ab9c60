/** Dutch law, as loan documents cite it. */
import type { CountryLaw } from '../country.ts'

export const law: CountryLaw = {
  name: {
    fr: 'droit néerlandais',
    de: 'niederländisches Recht',
    es: 'Derecho neerlandés',
    nl: 'Nederlands recht',
    en: 'Dutch law',
  },
  court_seat: {
    fr: 'Amsterdam',
    de: 'Amsterdam',
    es: 'Ámsterdam',
    nl: 'Amsterdam',
    en: 'Amsterdam',
  },
  authority: 'Autoriteit Persoonsgegevens, autoriteitpersoonsgegevens.nl',
  vat_article: 'art. 11, lid 1, onderdeel j, Wet OB 1968',
  vat_percent: 21,
}
