/** The fictitious lender of a sandbox, with valid check digits in its numbers. */
import { creditorId } from '../../../countries/index.ts'
import type { Lender } from '../../../platform/db/settings.ts'
import { generateBic, generateVirtualIban } from './generators.ts'

export function sandboxLender(): Lender {
  const bic = generateBic('FRA')
  return {
    name: 'Headroom Sandbox Lending SAS',
    legal_form: null,
    registration: 'RCS Paris 732 829 320',
    address: {
      street: '12 rue de la Banque',
      postal_code: '75002',
      town: 'Paris',
      country: 'FR',
    },
    email: 'lending@headroom.example',
    creditor_identifier: creditorId('FR', '123456'),
    collection_iban: generateVirtualIban(1),
    collection_bic: bic,
    funding_iban: generateVirtualIban(2),
    funding_bic: bic,
    capital_ibans: [generateVirtualIban(4)],
    signatories: [],
  }
}
