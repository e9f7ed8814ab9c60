/** Reads borrowers and builds their API views. */
import type { Borrower, ComplianceStatus } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { documentAddress } from '../../integrations/documents/index.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Settings } from '../../platform/db/settings.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { BorrowerSummary } from './borrower-summary.ts'
import type { BorrowerRow } from './store.ts'

export type BorrowerViewRow = BorrowerRow & {
  compliance_status: ComplianceStatus
  accounts: Borrower['accounts']
}

/** The borrower fields that other resources embed, for queries that join `borrowers b`. */
export const borrowerSummary = sql<BorrowerSummary>`
  json_build_object('id', b.id, 'identifier', b.identifier, 'identifier_type', b.identifier_type,
    'name', b.name, 'legal_form', b.legal_form, 'vat_number', b.vat_number, 'address', b.address,
    'company', b.company)`

/**
 * The query for borrowers' views: `more` adds columns, `from` can restrict the borrowers. Append a
 * `where`.
 */
export function selectBorrowers(
  more: RawBuilder<unknown>,
  from: RawBuilder<unknown> = sql`borrowers`,
): RawBuilder<BorrowerViewRow> {
  return sql<BorrowerViewRow>`
    select b.*, c.status as compliance_status, coalesce((
        select jsonb_agg(jsonb_build_object('id', a.id, 'account_name', a.account_name,
          'account_number', a.account_number, 'account_number_type', a.account_number_type,
          'bank_identifier', a.bank_identifier,
          'bank_identifier_type', a.bank_identifier_type) order by a.created_at, a.id)
        from borrower_accounts a
        where a.partner_id = b.partner_id and a.borrower_id = b.id), '[]') as accounts
      ${more}
    from ${from} b
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id`
}

/** The API view of a borrower. The URL of its signed document is valid only for a short time. */
export function borrowerView(settings: Settings, row: BorrowerViewRow): Borrower {
  const { owner, contract_document_id } = row
  return {
    id: row.id,
    status: row.status,
    status_reason: row.status_reason as Borrower['status_reason'],
    identifier: row.identifier,
    identifier_type: row.identifier_type as Borrower['identifier_type'],
    entity_type: row.entity_type as Borrower['entity_type'],
    name: row.name,
    legal_form: row.legal_form,
    vat_number: row.vat_number,
    address: row.address,
    preferred_language: row.preferred_language,
    signed_at: row.signed_at?.toISOString() ?? null,
    compliance_checks: { status: row.compliance_status },
    next_actions: row.compliance_status === 'PENDING_USER_ACTION' ? ['FILL_KYB_CASE'] : [],
    accounts: row.accounts,
    directors: row.directors.length > 0 ? row.directors : null,
    owner: owner?.email
      ? { id: owner.id, email: owner.email, phone_number: owner.phone_number }
      : null,
    active_enrollments: [],
    can_reonboard: false,
    contract_id: contract_document_id,
    contract_s3_url: contract_document_id && documentAddress(settings, contract_document_id),
    metadata: row.metadata,
  }
}

export async function borrowerViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, { partner_id: string; data: Borrower }>> {
  const rows = await tx.all(
    sql<BorrowerViewRow>`${selectBorrowers(sql``)} where ${haveKeys(keys, 'b')}`,
  )
  return new Map(
    rows.map(row => [row.id, { partner_id: row.partner_id, data: borrowerView(tx.settings, row) }]),
  )
}

export async function findBorrowerView(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<Borrower | undefined> {
  const row = await tx.maybe(sql<BorrowerViewRow>`${selectBorrowers(sql``)}
    where b.id = ${id} and b.partner_id = ${partner_id}`)
  return row && borrowerView(tx.settings, row)
}

export async function findBorrower(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<BorrowerRow | undefined> {
  return tx.maybe(sql<BorrowerRow>`
    select * from borrowers where id = ${id} and partner_id = ${partner_id}`)
}
