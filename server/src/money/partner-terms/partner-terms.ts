/** Sets the fees agreed with a partner, and its company, which is billed and paid. */
import { sql } from 'kysely'
import { findCompany } from '../../companies/registry/index.ts'
import type { Context } from '../../context.ts'
import { parseCompanyIdentifier } from '../../countries/index.ts'
import { termsLanguages } from '../../integrations/documents/index.ts'
import { recordAudit } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { parseIban } from '../../platform/kit/iban.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import { feesPayerOf } from './rules.ts'
import { putPartnerCompany, putPartnerProduct } from './store.ts'

export interface PartnerCompany {
  readonly partner_id: string
  readonly identifier: string
  readonly emails: readonly string[]
  /** The account to which money collected for the partner is paid out. */
  readonly iban: string | null
  readonly sends_bills: boolean
}

/** A partner's company as given, with its name and address from the registry. */
export type FoundCompany = Awaited<ReturnType<typeof findPartnerCompany>>

const NOT_FOUND = {
  unknown: 'is not known to the register',
  unavailable: 'has no answer of a registry yet: enter the company in the console, or try again',
} as const

/**
 * Looks up a partner's company in the registry, outside of any transaction. Throws
 * `request_invalid` for an invalid number or IBAN, or an unknown company.
 */
export async function findPartnerCompany(context: Context, input: PartnerCompany) {
  const parsed = parseCompanyIdentifier(input.identifier)
  if (!parsed.ok) throw invalid({ name: 'identifier', reason: parsed.reason })
  const found = await findCompany(context, { ...parsed, partner_id: input.partner_id })
  if (found.result !== 'found')
    throw invalid({ name: 'identifier', reason: NOT_FOUND[found.result] })
  const { company } = found
  const iban = input.iban === null ? null : parseIban(input.iban)
  if (iban && !iban.ok) throw invalid({ name: 'iban', reason: iban.reason })
  const { identifier, identifier_type, country, company_key } = parsed
  return {
    partner_id: input.partner_id,
    company_key,
    identifier,
    identifier_type,
    country,
    name: company.name,
    address: company.address as never,
    language: termsLanguages(country)[0]!,
    emails: [...input.emails],
    iban: iban?.iban ?? null,
    sends_bills: input.sends_bills,
  }
}

/** Sets a partner's company. Throws `resource_unknown` if there is no such partner. */
export async function setPartnerCompany(tx: Tx, found: FoundCompany): Promise<void> {
  const { partner_id, name, identifier, emails, iban, sends_bills } = found
  await lockPartner(tx, partner_id)
  await putPartnerCompany(tx, { ...found, created_at: tx.now })
  const account = iban ? `paid to ${iban}` : 'paid to no account'
  const bills = sends_bills ? ', sends bills itself' : ''
  const reason = `company: ${name}, ${identifier}, ${emails.join(' ')}, ${account}${bills}`
  await recordAudit(tx, { ...CHANGE, resource_id: partner_id, partner_id, reason })
}

const CHANGE = { act: 'change', resource: 'partner' } as const

export interface PartnerProduct {
  readonly partner_id: string
  readonly product_type: string
  readonly repayment_handled_by: 'SERVICE' | 'PARTNER'
  readonly fees_mode: 'CHARGED' | 'PASSED_ON' | 'TRANSFERRED'
  /** Parts per million per day, on top of the product's rate. */
  readonly mark_up_ppm: number
}

/**
 * Sets who handles repayments and pays fees, and the mark-up, for a product's loans approved from
 * now on. A partner that pays fees needs a company, and one that adds a mark-up an IBAN as well.
 */
export async function setPartnerProduct(tx: Tx, input: PartnerProduct): Promise<void> {
  await lockPartner(tx, input.partner_id)
  const { partner_id, product_type, repayment_handled_by, fees_mode, mark_up_ppm } = input
  const product = await tx.maybe(sql<{ id: string }>`
    select id from products where product_type = ${product_type}`)
  if (!product) throw invalid({ name: 'product_type', reason: 'is no product' })
  const company = await tx.maybe(sql<{ iban: string | null }>`
    select iban from partner_companies where partner_id = ${partner_id}`)
  const passedOn = fees_mode === 'PASSED_ON' && repayment_handled_by === 'SERVICE'
  if (mark_up_ppm > 0 && !passedOn) {
    throw invalid({ name: 'mark_up', reason: 'goes with SERVICE and PASSED_ON' })
  }
  if (!company && feesPayerOf(input) === 'PARTNER') {
    throw invalid({ name: 'partner', reason: 'has no company to be billed: name it first' })
  }
  if (!company?.iban && mark_up_ppm > 0) {
    throw invalid({ name: 'partner', reason: 'has no IBAN to be paid to: name it first' })
  }
  const product_id = product.id
  await putPartnerProduct(tx, {
    partner_id,
    product_id,
    repayment_handled_by,
    fees_mode,
    mark_up_ppm,
  })
  const mark_up = `mark-up ${mark_up_ppm} ppm a day`
  const reason = `${product_type}: ${repayment_handled_by} ${fees_mode}, ${mark_up}`
  await recordAudit(tx, { ...CHANGE, resource_id: partner_id, partner_id, reason })
}

/** Serializes changes to a partner's terms. Throws `resource_unknown`. */
async function lockPartner(tx: Tx, partner_id: string): Promise<void> {
  const known = await tx.maybe(sql`
    select id from partners where id = ${partner_id} for no key update`)
  if (!known) throw problem('resource_unknown', `There is no partner ${partner_id}.`)
}
