/** Bundles documents of loans into one download. */
import type { Body } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Call, CheckedHandler, Validation } from '../../../context.ts'
import { documentAddress, storeBundle } from '../../../integrations/documents/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readWireDay } from '../../../platform/kit/dates.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'

const DOCUMENTS_MAX = 1000
const MEGABYTE = 1_000_000
const BYTES_MAX = 250 * MEGABYTE

/** A request must name loans, or at least one bound of their payout dates. */
function checkRange(body: WellFormed<Body<'fetchLoanDocuments'>>): Validation {
  const { loan_ids, to_pay_at_from, to_pay_at_to } = body
  if (loan_ids?.length || to_pay_at_from || to_pay_at_to) return { faults: [] }
  return { faults: [{ name: 'loan_ids', reason: 'name loans, or a range of to_pay_at' }] }
}

export const fetchLoanDocuments: CheckedHandler<'fetchLoanDocuments'> = {
  check: (_tx, { body }) => checkRange(body),
  handle: (tx, call) => fetch(tx, call),
}

/**
 * Returns the URL of the documents. Throws `resource_unknown` for an unknown loan or if there are
 * no such documents, `request_invalid` if they are too many or too large.
 */
async function fetch(tx: Tx, { body, params, caller }: Call<'fetchLoanDocuments'>) {
  const { partner_id } = caller
  const loan_ids = [...new Set(body.loan_ids ?? [])]
  await expectLoans(tx, partner_id, loan_ids)
  const loans = sql.join(
    [
      sql`l.partner_id = ${partner_id}`,
      ...(loan_ids.length > 0 ? [sql`l.id = any(${loan_ids}::uuid[])`] : []),
      ...(body.to_pay_at_from ? [sql`l.to_pay_on >= ${readWireDay(body.to_pay_at_from)}`] : []),
      ...(body.to_pay_at_to ? [sql`l.to_pay_on < ${readWireDay(body.to_pay_at_to)}`] : []),
    ],
    sql` and `,
  )
  const found = await findDocuments(tx, loans, params.document_type)
  const [first, ...others] = found.map(({ id }) => id)
  if (!first) throw problem('resource_unknown', 'These loans have no such document.')
  refuseTooMuch(found)
  const ids = [first, ...others]
  if (ids.length === 1) return { link: documentAddress(tx.settings, first) }
  const id = tx.newId()
  await storeBundle(tx, { id, partner_id, document_ids: ids })
  return { link: documentAddress(tx.settings, id) }
}

async function expectLoans(tx: Tx, partner_id: string, ids: readonly string[]): Promise<void> {
  const { n } = await tx.one(sql<{ n: number }>`
    select count(*)::int as n from loans
    where partner_id = ${partner_id} and id = any(${ids}::uuid[])`)
  if (n < ids.length) throw problem('resource_unknown')
}

interface Found {
  readonly id: string
  readonly bytes: number
}

function refuseTooMuch(found: readonly Found[]): void {
  const name = 'loan_ids'
  if (found.length > DOCUMENTS_MAX) {
    const reason = `these are more than ${DOCUMENTS_MAX} documents: ask for fewer loans`
    throw invalid({ name, reason })
  }
  const megabytes = Math.ceil(found.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE)
  if (megabytes * MEGABYTE <= BYTES_MAX) return
  const most = `at most ${BYTES_MAX / MEGABYTE} MB are put together: ask for fewer loans`
  throw invalid({ name, reason: `their documents are ${megabytes} MB, and ${most}` })
}

async function findDocuments(tx: Tx, loans: RawBuilder<unknown>, type: string): Promise<Found[]> {
  const contracts = ['contract', 'contracts', 'all'].includes(type)
  return tx.all(sql<Found>`
    select d.id, coalesce(octet_length(f.content), 0) as bytes from (
      select l.partner_id, l.id as loan_id, l.contract_document_id as id from loans l
      where ${loans} and ${contracts} and l.contract_document_id is not null
      union all
      select l.partner_id, l.id, p.document_id from loans l
      join loan_documents p on p.partner_id = l.partner_id and p.loan_id = l.id
      where ${loans} and (${type} = 'all' or p.document_type = ${type})
      union all
      select l.partner_id, l.id, i.document_id from loans l
      join invoice_loans f on f.partner_id = l.partner_id and f.loan_id = l.id
      join invoices i on i.partner_id = f.partner_id and i.id = f.invoice_id
      where ${loans} and ${['invoice', 'all'].includes(type)} and i.document_id is not null) d
    join documents f on f.partner_id = d.partner_id and f.id = d.id
    group by d.id, f.partner_id, f.id
    order by min(d.loan_id::text), d.id limit ${DOCUMENTS_MAX + 1}`)
}
