/** Writes onboardings, except their status, which `platform/db/move.ts` writes. */
import type { Language, UserInput } from '@headroom/contract'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Company, ComplianceStatus } from '../../integrations/ports/registry.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { haveKeys, ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'

/** The person who signs for the company. Days are YYYY-MM-DD, countries ISO 3166-1 codes. */
export interface Representative {
  readonly first_name: string
  readonly last_name: string
  readonly birth_date: string
  readonly nationality: string
  readonly country_of_residence: string
  readonly email: string
}

export type Repayment =
  | {
      readonly method: 'DIRECT_DEBIT'
      readonly account_number: string
      readonly bank_identifier: string
    }
  | { readonly method: 'SCT' }

export type OnboardingRow = Omit<
  Selectable<DB['onboardings']>,
  | 'company'
  | 'compliance'
  | 'preferred_language'
  | 'representative'
  | 'repayment'
  | 'traceability_payload'
  | 'user_input'
> & {
  preferred_language: Language
  user_input: UserInput | null
  company: Company | null
  compliance: ComplianceStatus | null
  representative: Representative | null
  repayment: Repayment | null
  traceability_payload: Record<string, unknown> | null
}

export async function insertOnboarding(tx: Tx, row: Insertable<DB['onboardings']>): Promise<void> {
  await tx.run(insertInto('onboardings', [row]))
}

/** A session of any partner, for requests by link. Throws `resource_unknown`. */
export async function findOnboarding(tx: Tx, id: string): Promise<OnboardingRow> {
  const row = await tx.maybe(sql<OnboardingRow>`
    select * from onboardings where ${ofEachPartner('onboardings')} and id = ${id}`)
  if (!row) throw problem('resource_unknown')
  return row
}

/**
 * Locks an open session. Throws `resource_unknown`, or `state_conflict` if it is over, expired, or
 * its borrower already exists.
 */
export async function lockOpen(tx: Tx, { partner_id, id }: RowKey): Promise<OnboardingRow> {
  const row = await tx.maybe(sql<OnboardingRow>`
    select * from onboardings
    where partner_id = ${partner_id} and id = ${id} for no key update`)
  if (!row) throw problem('resource_unknown')
  if (row.status !== 'CREATED') throw problem('state_conflict', `The onboarding is ${row.status}.`)
  if (row.expires_at <= tx.now) throw problem('state_conflict', 'The onboarding has expired.')
  if (row.borrower_id) {
    const extras = { resource_id: row.borrower_id }
    throw problem('state_conflict', 'The borrower of this onboarding exists already.', extras)
  }
  return row
}

/** A company's open sessions, newest first, locked. */
export async function lockOpenOf(
  tx: Tx,
  partner_id: string,
  company_key: string,
): Promise<OnboardingRow[]> {
  return tx.all(sql<OnboardingRow>`
    select * from onboardings
    where partner_id = ${partner_id} and company_key = ${company_key} and status = 'CREATED'
      and borrower_id is null and expires_at > ${tx.now}
    order by id desc for no key update`)
}

export interface NamedCompany {
  readonly company_key: string | null
  readonly identifier: string
  readonly identifier_type: string
  readonly company: Company | null
  readonly company_awaited: boolean
  readonly compliance: ComplianceStatus | null
}

export async function setCompany(
  tx: Tx,
  { partner_id, id }: RowKey,
  named: NamedCompany,
): Promise<void> {
  const company = named.company && JSON.stringify(named.company)
  await tx.run(sql`
    update onboardings set company_key = ${named.company_key}, identifier = ${named.identifier},
      identifier_type = ${named.identifier_type}, company = ${company}::jsonb,
      company_awaited = ${named.company_awaited}, compliance = ${named.compliance}, step = 'company'
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setLanguage(
  tx: Tx,
  { partner_id, id }: RowKey,
  language: string,
): Promise<void> {
  await tx.run(sql`update onboardings set preferred_language = ${language}
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setRepresentative(
  tx: Tx,
  { partner_id, id }: RowKey,
  who: Representative,
): Promise<void> {
  await tx.run(sql`
    update onboardings set representative = ${JSON.stringify(who)}::jsonb, step = 'representative'
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setRepayment(
  tx: Tx,
  { partner_id, id }: RowKey,
  how: Repayment,
): Promise<void> {
  await tx.run(sql`
    update onboardings set repayment = ${JSON.stringify(how)}::jsonb, step = 'repayment'
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setBorrower(
  tx: Tx,
  keys: readonly RowKey[],
  borrower_id: string,
): Promise<void> {
  await tx.run(sql`
    update onboardings set borrower_id = ${borrower_id} where ${haveKeys(keys, 'onboardings')}`)
}

/** Updates the compliance result in a company's sessions in CREATED. */
export async function noteCompliance(
  tx: Tx,
  partner_id: string,
  company_key: string,
  status: ComplianceStatus,
): Promise<void> {
  await tx.run(sql`
    update onboardings set compliance = ${status}
    where partner_id = ${partner_id} and company_key = ${company_key} and status = 'CREATED'`)
}

export async function noteMailed(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  await tx.run(sql`update onboardings set documents_mailed = true
    where partner_id = ${partner_id} and id = ${id}`)
}
