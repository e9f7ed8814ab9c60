/** The company data of a borrower that other resources embed. Pure. */
import type { LightBusiness } from '@headroom/contract'
import type { z } from 'zod'
import type { BorrowerRow } from './store.ts'

export type BorrowerSummary = Pick<
  BorrowerRow,
  | 'id'
  | 'identifier'
  | 'identifier_type'
  | 'name'
  | 'legal_form'
  | 'vat_number'
  | 'address'
  | 'company'
>

/**
 * The API's embedded company: registry data, with the name, legal form, VAT number and address
 * stored for the borrower.
 */
export function lightBusiness(borrower: BorrowerSummary): z.output<typeof LightBusiness> {
  const { company } = borrower
  return {
    id: borrower.id,
    identifier: borrower.identifier,
    identifier_type: borrower.identifier_type as 'siren',
    name: borrower.name,
    legal_form: borrower.legal_form,
    vat_number: borrower.vat_number,
    address: borrower.address,
    activity_description: company.activity_description,
    activity_type: null,
    nace_code: company.nace_code,
    capital: company.share_capital,
    share_capital: company.share_capital,
    creation_date: company.creation_date,
    registration_body: null,
    registration_date: null,
    registry_radiation_date: null,
    termination_date: null,
    is_active: company.is_active,
    is_diffusible: null,
    has_ongoing_insolvency_procedure: Boolean(company.insolvent_since),
    last_insolvency_procedure_type: null,
    last_insolvency_procedure_open_date: company.insolvent_since ?? null,
    last_insolvency_procedure_closing_date: null,
  }
}
