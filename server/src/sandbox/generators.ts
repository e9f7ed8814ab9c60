/** Generates fictitious companies and IBANs from unused seeds. */
import type { GeneratedBusiness } from '@headroom/contract'
import type { Handler } from '../context.ts'
import {
  companyProfile,
  generateBic,
  generateCompany,
  generateDirector,
  generateIban,
  type SandboxCountry,
} from '../integrations/adapters/sandbox/generators.ts'
import type { Database, Tx } from '../platform/db/transaction.ts'
import { unusedSeed } from './seeds.ts'

export const generateSandboxBusiness: Handler<'generateSandboxBusiness'> = async (
  tx,
  call,
  { database },
) => anotherBusiness(tx, database, call.caller.partner_id, call.query.country)

export const createSandboxBusiness: Handler<'createSandboxBusiness'> = async (
  tx,
  call,
  { database },
) => anotherBusiness(tx, database, call.caller.partner_id, call.body.country ?? call.query.country)

export const generateSandboxIban: Handler<'generateSandboxIban'> = async (
  tx,
  call,
  { database },
) => {
  const { country, scenario } = call.query
  const seed = await unusedSeed(tx, database, call.caller.partner_id, country, scenario)
  return { iban: generateIban(country, scenario, seed), bank_identifier: generateBic(country) }
}

async function anotherBusiness(
  tx: Tx,
  database: Database,
  partner_id: string,
  country: SandboxCountry,
): Promise<GeneratedBusiness> {
  const seed = await unusedSeed(tx, database, partner_id, country, 'SUCCESS')
  return businessOf(country, seed, seed)
}

/**
 * A body for POST /borrowers with all data for a direct debit; the same seeds give the same body.
 */
export function businessOf(
  country: SandboxCountry,
  company_seed: number,
  iban_seed: number,
): GeneratedBusiness {
  const { identifier, identifier_type } = generateCompany(country, company_seed)
  const profile = companyProfile(identifier, country)
  const person = generateDirector(country, company_seed)
  const nothing_more = { address_line_2: null, state: null }
  return {
    identifier,
    identifier_type,
    entity_type: 'COMPANY',
    name: profile.name,
    legal_form: profile.legal_form,
    vat_number: profile.vat_number,
    address: { ...profile.address, ...nothing_more },
    account_number: generateIban(country, 'SUCCESS', iban_seed),
    bank_identifier: generateBic(country),
    directors: [
      {
        id: null,
        entity_type: 'people',
        role: person.role,
        title: null,
        first_name: person.first_name,
        last_name: person.last_name,
        birth_date: person.birth_date,
        birth_place: person.birth_place,
        nationality: person.nationality,
        address: { ...person.address, ...nothing_more },
        business_email: person.business_email,
        business_phone_number: null,
        identifier: null,
        identifier_type: null,
        legal_name: null,
        siege_address: null,
      },
    ],
    owner: null,
    preferred_language: profile.language === 'is' ? 'en' : profile.language,
    signed_at: null,
    metadata: {},
    wait_for_ready: false,
  }
}
