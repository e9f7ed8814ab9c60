/** The lender's details as shown in documents. */
import type { Lender as LenderSettings } from '../../platform/db/settings.ts'
import type { Lender } from './types.ts'

/** Takes the lender's country from its creditor identifier. */
export function lenderOf(settings: LenderSettings): Lender {
  return {
    name: settings.name,
    address: settings.address_line.split(', '),
    country: settings.creditor_identifier.slice(0, 2),
    creditor_identifier: settings.creditor_identifier,
    registration: settings.registration,
    email: settings.email,
  }
}
