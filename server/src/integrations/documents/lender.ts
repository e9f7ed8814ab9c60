/** The lender's details as shown in documents. */
import type { Lender as LenderSettings } from '../../platform/db/settings.ts'
import type { Lender } from './types.ts'

export function lenderOf(settings: LenderSettings): Lender {
  const { legal_form, registration, address } = settings
  return {
    name: settings.name,
    address: [address.street, `${address.postal_code} ${address.town}`],
    country: address.country,
    creditor_identifier: settings.creditor_identifier,
    registration: legal_form === null ? registration : `${legal_form}, ${registration}`,
    signatories: settings.signatories.map(({ name, title }) => `${name}, ${title}`),
    email: settings.email,
  }
}
