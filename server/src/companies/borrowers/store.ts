/** Writes the tables of borrowers, except statuses, which `platform/db/move.ts` writes. */
import type { Language, Status } from '@headroom/contract'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { CountryCode } from '../../countries/index.ts'
import type { Company, KnownCompany } from '../../integrations/ports/registry.ts'
import { enterNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { StoredDirector } from './directors.ts'
import { fullAddress, type PostalAddress } from './read-fields.ts'

type Table<K extends keyof DB> = Selectable<DB[K]>

export interface Owner {
  id: string
  first_name: string
  last_name: string
  birth_date: string | null
  email: string | null
  phone_number: string | null
}

export type BorrowerRow = Omit<
  Table<'borrowers'>,
  'country' | 'preferred_language' | 'address' | 'company' | 'directors' | 'owner' | 'metadata'
> & {
  country: CountryCode
  preferred_language: Language
  address: PostalAddress | null
  company: KnownCompany
  directors: StoredDirector[]
  owner: Owner | null
  metadata: Record<string, unknown>
}

/** Inserts a borrower; returns false if the partner already has that company. */
export async function insertBorrower(tx: Tx, row: Insertable<DB['borrowers']>): Promise<boolean> {
  const insert = queryBuilder
    .insertInto('borrowers')
    .values(row)
    .onConflict(known => known.columns(['partner_id', 'company_key']).doNothing())
  return (await tx.run(insert)) === 1
}

export async function insertCompliance(
  tx: Tx,
  row: { borrower_id: string; partner_id: string; status: Status<'compliance'> },
): Promise<void> {
  await tx.run(queryBuilder.insertInto('compliance_checks').values({ ...row, updated_at: tx.now }))
}

/** Sets the day on which a borrower's approval ends. Any change of its status removes it. */
export async function setApprovedUntil(
  tx: Tx,
  { partner_id, borrower_id }: { partner_id: string; borrower_id: string },
  day: Day,
): Promise<void> {
  await tx.run(sql`
    update compliance_checks set approved_until = ${day}
    where partner_id = ${partner_id} and borrower_id = ${borrower_id} and status = 'APPROVED'`)
}

/** Holds the refunds of these borrowers, or releases them. Returns whether that changed any. */
export async function setFrozen(
  tx: Tx,
  keys: readonly RowKey[],
  frozen_at: Date | null,
): Promise<boolean> {
  const changed = await tx.run(sql`
    update compliance_checks set frozen_at = ${frozen_at}
    where ${haveKeys(keys, 'compliance_checks', 'borrower_id')}
      and (frozen_at is null) <> ${frozen_at === null}`)
  return changed > 0
}

export async function touchCompliance(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  await tx.run(sql`
    update compliance_checks set updated_at = ${tx.now}, approved_until = null
    where partner_id = ${partner_id} and borrower_id = ${id}`)
}

/** Gives a borrower these products; returns the ids of the inserted rows. */
export async function insertProducts(
  tx: Tx,
  borrower: { id: string; partner_id: string },
  product_ids: readonly string[],
): Promise<string[]> {
  const rows = product_ids.map(product_id => ({
    id: tx.newId(),
    partner_id: borrower.partner_id,
    borrower_id: borrower.id,
    product_id,
    created_at: tx.now,
  }))
  if (rows.length > 0) await tx.run(insertInto('borrower_products', rows))
  return rows.map(row => row.id)
}

export async function insertOwnerDocuments(
  tx: Tx,
  rows: Insertable<DB['owner_documents']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(queryBuilder.insertInto('owner_documents').values(rows))
}

export async function lockBorrower(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<BorrowerRow | undefined> {
  // A weaker lock than `for update`, so that loans and accounts can still reference the row.
  return tx.maybe(sql<BorrowerRow>`
    select * from borrowers where id = ${id} and partner_id = ${partner_id}
    for no key update`)
}

/** Locks and reads borrowers, in the order of their ids. */
export async function lockBorrowers(tx: Tx, keys: readonly RowKey[]): Promise<BorrowerRow[]> {
  return tx.all(sql<BorrowerRow>`
    select * from borrowers where ${haveKeys(keys, 'borrowers')} order by id for no key update`)
}

export type BorrowerData = Pick<
  BorrowerRow,
  'address' | 'directors' | 'preferred_language' | 'business_email' | 'metadata'
>

export async function updateData(
  tx: Tx,
  { partner_id, id }: RowKey,
  data: BorrowerData,
): Promise<void> {
  await tx.run(sql`
    update borrowers set address = ${json(data.address)}::jsonb,
      directors = ${json(data.directors)}::jsonb, preferred_language = ${data.preferred_language},
      business_email = ${data.business_email}, metadata = ${json(data.metadata)}::jsonb
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setSigned(
  tx: Tx,
  { partner_id, id }: RowKey,
  signed_at: Date,
  contract_document_id: string,
): Promise<void> {
  await tx.run(sql`
    update borrowers set signed_at = ${signed_at}, contract_document_id = ${contract_document_id}
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setOwner(tx: Tx, { partner_id, id }: RowKey, owner: Owner): Promise<void> {
  await tx.run(sql`
    update borrowers set owner = ${JSON.stringify(owner)}::jsonb
    where partner_id = ${partner_id} and id = ${id}`)
}

export async function setStatusReason(
  tx: Tx,
  keys: readonly RowKey[],
  reason: string | null,
): Promise<void> {
  await tx.run(sql`
    update borrowers set status_reason = ${reason} where ${haveKeys(keys, 'borrowers')}`)
}

export async function insertAcceptance(
  tx: Tx,
  row: Insertable<DB['terms_acceptances']>,
): Promise<void> {
  await tx.run(queryBuilder.insertInto('terms_acceptances').values(row))
}

/** Puts an account on file, or updates the bank identifier of one already on file. */
export async function upsertAccount(
  tx: Tx,
  row: Insertable<DB['borrower_accounts']>,
): Promise<void> {
  await tx.run(sql`
    insert into borrower_accounts as a (id, partner_id, borrower_id, account_name, account_number,
      account_number_type, bank_identifier, bank_identifier_type, created_at)
    values (${row.id}, ${row.partner_id}, ${row.borrower_id}, ${row.account_name},
      ${row.account_number}, ${row.account_number_type}, ${row.bank_identifier},
      ${row.bank_identifier_type}, ${row.created_at})
    on conflict (partner_id, borrower_id, account_number) do update
      set bank_identifier = excluded.bank_identifier,
        bank_identifier_type = excluded.bank_identifier_type
      where excluded.bank_identifier not in ('', a.bank_identifier)`)
}

/** Puts accounts on file. Leaves accounts already on file unchanged. */
export function insertNewAccounts(
  tx: Tx,
  rows: readonly Insertable<DB['borrower_accounts']>[],
): void {
  tx.send(sql`${insertInto('borrower_accounts', rows)} on conflict do nothing`)
}

export async function insertWallet(tx: Tx, row: Insertable<DB['wallets']>): Promise<void> {
  enterNames(tx, 'account', [row], wallet => wallet.account_number)
  await tx.run(queryBuilder.insertInto('wallets').values(row))
}

export type MandateRow = Table<'mandates'>

export async function insertMandate(tx: Tx, row: Insertable<DB['mandates']>): Promise<void> {
  enterNames(tx, 'mandate', [row], mandate => mandate.reference)
  await tx.run(queryBuilder.insertInto('mandates').values(row))
}

/**
 * Restarts the 36 months until a mandate lapses. Call it when a debit of the mandate is instructed.
 */
export async function markMandatesUsed(
  tx: Tx,
  mandates: readonly RowKey[],
  on: Day,
): Promise<void> {
  await tx.run(sql`
    update mandates set last_used_on = greatest(last_used_on, ${on}::date)
    where ${haveKeys(mandates, 'mandates')}`)
}

export type MethodRow = Omit<Table<'repayment_methods'>, 'from_account'> & {
  from_account: StoredAccount | null
}

export interface StoredAccount {
  account_number: string
  account_number_type: 'account_number' | 'iban' | 'internal_id'
  bank_identifier: string
  bank_identifier_type: 'bic' | 'name' | 'routing_number' | 'undefined'
}

export async function insertMethod(
  tx: Tx,
  row: Insertable<DB['repayment_methods']>,
): Promise<void> {
  await tx.run(queryBuilder.insertInto('repayment_methods').values(row))
}

export async function renameMethod(
  tx: Tx,
  { partner_id, id }: RowKey,
  name: string,
): Promise<void> {
  await tx.run(sql`
    update repayment_methods set name = ${name} where partner_id = ${partner_id} and id = ${id}`)
}

/** Stores what happens once the method is READY. */
export async function setWhenReady(
  tx: Tx,
  { partner_id, id }: RowKey,
  flags: { main_when_ready: boolean; apply_when_ready: boolean },
): Promise<void> {
  await tx.run(sql`
    update repayment_methods set main_when_ready = ${flags.main_when_ready},
      apply_when_ready = ${flags.apply_when_ready}
    where partner_id = ${partner_id} and id = ${id}`)
}

/** Makes this method the borrower's main one, or none if `id` is null. */
export async function setMain(
  tx: Tx,
  { partner_id, id: borrower_id }: RowKey,
  id: string | null,
): Promise<void> {
  await tx.run(sql`
    update repayment_methods set is_main = false
    where partner_id = ${partner_id} and borrower_id = ${borrower_id} and is_main
      and id is distinct from ${id}::uuid`)
  await tx.run(sql`
    update repayment_methods set is_main = true
    where partner_id = ${partner_id} and borrower_id = ${borrower_id} and id = ${id}::uuid
      and not is_main`)
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

/**
 * Stores what the registry says about a borrower that was created before it answered. The name that
 * the partner gave stays; without one, the number was stored in its place.
 */
export async function setCompany(tx: Tx, borrower: BorrowerRow, company: Company): Promise<void> {
  const address = JSON.stringify(fullAddress(company.address))
  await tx.run(sql`
    update borrowers set company = ${JSON.stringify(company)}::jsonb,
      name = case when name = identifier then ${company.name} else name end,
      legal_form = coalesce(legal_form, ${company.legal_form}),
      vat_number = coalesce(vat_number, ${company.vat_number}),
      address = coalesce(address, ${address}::jsonb)
    where partner_id = ${borrower.partner_id} and id = ${borrower.id}`)
}

/**
 * Updates the registry status of borrowers for which it has changed. Without an answer, the
 * borrower counts as not known, and what is stored about insolvency and age stays.
 */
export function saveBorrowerRegistryStatuses(
  tx: Tx,
  statuses: readonly (Pick<KnownCompany, 'is_active' | 'insolvent_since' | 'creation_date'> & {
    partner_id: string
    company_key: string
  })[],
): void {
  tx.send(sql`
    update borrowers b set company = b.company || case when s.is_active is null
      then '{"is_active": null}' else jsonb_build_object('is_active', s.is_active,
        'insolvent_since', s.insolvent_since, 'creation_date', s.creation_date) end
    from unnest(${statuses.map(s => s.partner_id)}::uuid[],
      ${statuses.map(s => s.company_key)}::text[],
      ${statuses.map(s => s.is_active)}::boolean[],
      ${statuses.map(s => s.insolvent_since)}::text[],
      ${statuses.map(s => s.creation_date)}::text[])
      as s (partner_id, company_key, is_active, insolvent_since, creation_date)
    where b.partner_id = s.partner_id and ${BORROWER_REGISTRY_CHANGED}`)
}

/**
 * Whether registry status `s` is that of borrower `b`'s company and differs from the stored one.
 * Does not compare the partners.
 */
export const BORROWER_REGISTRY_CHANGED = sql`b.company_key = s.company_key
  and case when s.is_active is null then b.company->>'is_active' is not null
    else ((b.company->>'is_active')::boolean, b.company->>'insolvent_since',
      b.company->>'creation_date')
      is distinct from (s.is_active, s.insolvent_since, s.creation_date) end`

export async function setProduct(
  tx: Tx,
  id: string,
  change: Partial<Insertable<DB['products']>>,
): Promise<void> {
  await tx.run(queryBuilder.updateTable('products').set(change).where('id', '=', id))
}

export async function insertProductChange(
  tx: Tx,
  row: Insertable<DB['product_changes']>,
): Promise<void> {
  await tx.run(queryBuilder.insertInto('product_changes').values(row))
}
