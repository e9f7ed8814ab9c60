/** Creates a borrower's SEPA mandate and the document it signed. */
import { sql } from 'kysely'
import { lenderOf, mandateDocument, storeDocuments } from '../../../integrations/documents/index.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { parisDay } from '../../../platform/kit/dates.ts'
import { mandateReference } from '../../../platform/kit/reference.ts'
import { partyOf } from '../party.ts'
import { type BorrowerRow, insertMandate, type MandateRow } from '../store.ts'

export type Scheme = 'CORE' | 'B2B'

export interface NewMandate {
  readonly iban: string
  readonly bic: string
  readonly scheme: Scheme
  readonly signed_at: Date
  /** The person who signed for the company, if known. */
  readonly signatory: string | null
}

/**
 * Creates a mandate and returns its id. Its status is PENDING_VALIDATION, or READY in a sandbox,
 * where mandates need no confirmation. Stores the lender's creditor identifier, because it may
 * change.
 */
export async function createMandate(
  tx: Tx,
  borrower: BorrowerRow,
  input: NewMandate,
): Promise<string> {
  const id = tx.newId()
  const document_id = tx.newId()
  const reference = mandateReference(id)
  const paper = mandateDocument({
    document_id,
    issued_on: tx.today,
    language: borrower.preferred_language,
    lender: lenderOf(tx.settings.lender),
    scheme: input.scheme,
    mandate_reference: reference,
    debtor: partyOf(borrower),
    iban: input.iban,
    bic: input.bic,
    signed_on: parisDay(input.signed_at),
    ...(input.signatory ? { signatory: input.signatory } : {}),
  })
  const { partner_id } = borrower
  await storeDocuments(tx, [
    {
      id: document_id,
      kind: 'MANDATE',
      partner_id,
      borrower_id: borrower.id,
      language: borrower.preferred_language,
      title: paper.title,
      paper,
    },
  ])
  const sandbox = tx.settings.mode === 'sandbox'
  const initial = initialStatus('mandate', sandbox ? ['submit', 'activate'] : ['submit'])
  await insertMandate(tx, {
    id,
    partner_id,
    borrower_id: borrower.id,
    reference,
    creditor_identifier: tx.settings.lender.creditor_identifier,
    scheme: input.scheme,
    iban: input.iban,
    bic: input.bic,
    debtor_name: borrower.name,
    signed_at: input.signed_at,
    status: initial.status,
    document_id,
    created_at: tx.now,
  })
  recordCreation(tx, [{ id, partner_id, initial }])
  return id
}

/** The borrower's mandate for the same account, bank and scheme, unless deactivated. */
export async function findMandate(
  tx: Tx,
  { partner_id, id }: RowKey,
  input: Pick<NewMandate, 'iban' | 'bic' | 'scheme'>,
): Promise<MandateRow | undefined> {
  return tx.maybe(sql<MandateRow>`
    select * from mandates
    where partner_id = ${partner_id} and borrower_id = ${id} and iban = ${input.iban}
      and bic = ${input.bic} and scheme = ${input.scheme} and status <> 'DEACTIVATED'
    order by id limit 1`)
}
