/** Creates a borrower for a company in the registry, or one that the registry may still know. */
import type { CreateBorrowerBody } from '@headroom/contract'
import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { termsLanguages } from '../../../integrations/documents/index.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordEvent } from '../../../platform/events/index.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { putAccountOnFile, refuseAccountOfAnother } from '../accounts.ts'
import { isAwaited } from '../awaited-company.ts'
import { enqueueFollowing } from '../follow-company.ts'
import { keepDocuments } from '../owners/identity-documents.ts'
import { offeredProducts } from '../products.ts'
import { fullAddress } from '../read-fields.ts'
import { insertBorrower, insertCompliance, insertProducts } from '../store.ts'
import { ACCOUNT_NAMES, type NewBorrower } from './read-new-borrower.ts'

/**
 * Inserts the borrower in TO_SIGN and returns its id. Data in the request overrides the registry's.
 * Throws `borrower_exists` if the partner has this company under any of its numbers, even if a
 * concurrent request has just created it, and `request_invalid` if the account is on file for
 * another company.
 */
export async function createBorrower(
  tx: Tx,
  partner_id: string,
  body: CreateBorrowerBody,
  input: NewBorrower,
): Promise<string> {
  const id = tx.newId()
  const initial = initialStatus('borrower', [])
  const row = { ...newRow(tx, body, input), id, partner_id, status: initial.status }
  if (!(await insertBorrower(tx, row))) throw await exists(tx, partner_id, row.company_key)
  recordCreation(tx, [{ id, partner_id, initial }])
  const unchecked = initialStatus('compliance', [])
  await insertCompliance(tx, { borrower_id: id, partner_id, status: unchecked.status })
  recordCreation(tx, [{ id, partner_id, initial: unchecked }])
  await giveProducts(tx, { id, partner_id })
  await keepDocuments(tx, { id, partner_id }, body.owner?.identity_documents)
  if (input.account) {
    const { iban, bic } = input.account
    await refuseAccountOfAnother(tx, row, iban, ACCOUNT_NAMES.iban)
    await putAccountOnFile(tx, row, { account_number: iban, bank_identifier: bic })
  }
  const { company_key } = row
  if (isAwaited(input.registered)) enqueueFollowing(tx, { partner_id, company_key })
  await publishFact(tx, 'borrower_created', { borrower_id: id, partner_id, company_key })
  return id
}

type NewRow = Omit<Insertable<DB['borrowers']>, 'id' | 'partner_id' | 'status'>

function newRow(tx: Tx, body: CreateBorrowerBody, input: NewBorrower): NewRow {
  const { registered: company } = input
  const { identifier, identifier_type, country, company_key } = input.company
  const [first] = termsLanguages(country)
  return {
    company_key,
    identifier,
    identifier_type,
    country,
    entity_type: body.entity_type,
    name: body.name ?? company.name ?? identifier,
    legal_form: body.legal_form ?? company.legal_form,
    vat_number: input.vat_number ?? company.vat_number,
    address: addressOf(input),
    company: JSON.stringify(company),
    directors: JSON.stringify(input.directors),
    owner: input.owner && JSON.stringify(input.owner),
    preferred_language: input.preferred_language ?? first!,
    business_email: input.business_email,
    metadata: JSON.stringify(body.metadata ?? {}),
    created_at: tx.now,
  }
}

/** Null if only the registry can know it and has not answered. */
function addressOf({ address, registered }: NewBorrower) {
  if (!address && isAwaited(registered)) return null
  return JSON.stringify(address ?? fullAddress(registered.address))
}

async function exists(tx: Tx, partner_id: string, company_key: string) {
  const first = await tx.one(sql<{ id: string; identifier: string }>`
    select id, identifier from borrowers
    where partner_id = ${partner_id} and company_key = ${company_key}`)
  const detail = `This company is your borrower ${first.id} under the number ${first.identifier}.`
  return problem('borrower_exists', detail, { resource_id: first.id })
}

async function giveProducts(tx: Tx, borrower: { id: string; partner_id: string }): Promise<void> {
  const offered = await offeredProducts(tx)
  const ids = await insertProducts(
    tx,
    borrower,
    offered.map(product => product.id),
  )
  const { partner_id } = borrower
  for (const id of ids) {
    const product = { partner_id, id }
    recordEvent(tx, 'borrower_financial_product', product, 'BorrowerFinancialProductCreated')
  }
}
