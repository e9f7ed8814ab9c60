/** The sandbox register: every valid identifier is a company, told by its number. */
import { toWire } from '../../kit/money.ts'
import type { Registry } from '../../ports/registry.ts'
import { companyProfile } from './company-profile.ts'

/** Finds everybody, active, and always with the same story. */
export function sandboxRegistry(): Registry {
  return {
    async find(identifier, identifier_type, country) {
      const profile = companyProfile(identifier, country)
      return {
        identifier,
        identifier_type,
        country,
        name: profile.name,
        legal_form: profile.legal_form,
        vat_number: profile.vat_number,
        address: { ...profile.address },
        activity_description: profile.activity_description,
        nace_code: profile.nace_code,
        creation_date: profile.creation_date,
        share_capital: toWire(profile.share_capital),
        is_active: profile.is_active,
      }
    },
  }
}
