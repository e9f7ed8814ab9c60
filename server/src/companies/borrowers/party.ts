/** Describes a borrower as a party to a document: its name, number, address lines and country. */
import { countryCode } from '../../countries/index.ts'
import type { Party } from '../../integrations/documents/types.ts'
import type { BorrowerRow } from './store.ts'

export function partyOf(borrower: BorrowerRow): Party {
  const { address } = borrower
  const town = [address?.postal_code, address?.city].filter(Boolean).join(' ')
  const lines = [address?.address_line_1, address?.address_line_2, town, address?.state]
  return {
    name: borrower.name,
    identifier: borrower.identifier,
    identifier_type: borrower.identifier_type,
    address: lines.filter(line => !!line).map(line => String(line)),
    country: (address?.country && countryCode(address.country)) || borrower.country,
  }
}
