/**
 * The registry status of a loan's companies: whether they are active, insolvent since when, and
 * created when. It is fetched for each decision and stored before the rules read it.
 */
import { sql } from 'kysely'
import {
  enqueueFollowing,
  saveBorrowerRegistryStatuses,
} from '../../../companies/borrowers/index.ts'
import { saveCounterpartyRegistryStatuses } from '../../../companies/counterparties/index.ts'
import { type FoundCompany, findCompanies } from '../../../companies/registry/index.ts'
import type { Context } from '../../../context.ts'
import { parseCompanyIdentifier } from '../../../countries/index.ts'
import type { CompanyNumber } from '../../../integrations/ports/registry.ts'
import { ofEachPartner } from '../../../platform/db/of-partner.ts'
import { readForPartner, type Tx, transaction } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import type { LoanBody } from './read-request.ts'

export interface RegistryStatus {
  readonly partner_id: string
  readonly company_key: string
  /** Null if the registry has not answered, or so long ago that its answer no longer holds. */
  readonly is_active: boolean | null
  readonly insolvent_since: Day | null
  readonly creation_date: string | null
}

/**
 * Looks up the borrower and the parties of the request's stored invoices. For invoices contained in
 * the request, `fetchInvoiceParties` looks up the parties. A malformed number is not looked up.
 */
export async function fetchRegistryStatuses(
  context: Context,
  partner_id: string,
  body: Pick<LoanBody, 'borrower' | 'loan_type' | 'invoice_ids'>,
): Promise<RegistryStatus[]> {
  const { identifier, identifier_type } = body.borrower
  const type = identifier_type === 'name' ? null : (identifier_type ?? undefined)
  const parsed = type === null ? null : parseCompanyIdentifier(identifier, type)
  const borrower = parsed?.ok ? [{ ...parsed, partner_id }] : []
  const named = financesInvoices(body.loan_type) ? body.invoice_ids : []
  const parties = named.length > 0 ? await readParties(context, partner_id, named) : []
  return fetchStatuses(context, [...parties, ...borrower])
}

/**
 * Looks up the borrowers of loans not approved yet (one loan, all of a borrower, or all on an
 * invoice) and the parties of their invoices, before the loans are decided again.
 */
export async function refreshRegistryStatuses(
  context: Context,
  partner_id: string,
  of: { loan_id: string } | { borrower_id: string } | { invoice_id: string },
): Promise<RegistryStatus[]> {
  const numbers = await readForPartner(context, partner_id, tx =>
    tx.all(sql<CompanyNumber>`
      with waiting as (
        select id, borrower_id from loans where partner_id = ${partner_id}
          and ${isLoanOf(partner_id, of)} and status in ('PENDING_VALIDATION', 'TO_VALIDATE'))
      select partner_id, company_key, identifier, identifier_type, country
      from borrowers
      where partner_id = ${partner_id} and id in (select borrower_id from waiting)
      union all
      select c.partner_id, c.company_key, c.identifier, c.identifier_type, c.country
      from waiting w
      join invoice_loans f on f.partner_id = ${partner_id} and f.loan_id = w.id
      join invoices i on i.partner_id = f.partner_id and i.id = f.invoice_id
      join counterparties c ${OF_INVOICE}`),
  )
  return fetchStatuses(context, numbers)
}

/** Like `refreshRegistryStatuses`, for an operator: the invoice may be any partner's. */
export async function refreshInvoiceRegistryStatuses(
  context: Context,
  invoice_id: string,
): Promise<readonly RegistryStatus[]> {
  const scope = { partners: '*', read_only: true } as const
  const invoice = await transaction(context.database, scope, tx =>
    tx.maybe(sql<{ partner_id: string }>`
      select partner_id from invoices where ${ofEachPartner('invoices')} and id = ${invoice_id}`),
  )
  return invoice ? refreshRegistryStatuses(context, invoice.partner_id, { invoice_id }) : []
}

function isLoanOf(partner_id: string, of: Parameters<typeof refreshRegistryStatuses>[2]) {
  if ('loan_id' in of) return sql`id = ${of.loan_id}`
  if ('borrower_id' in of) return sql`borrower_id = ${of.borrower_id}`
  return sql`id in (select loan_id from invoice_loans
    where partner_id = ${partner_id} and invoice_id = ${of.invoice_id})`
}

async function fetchStatuses(
  context: Context,
  numbers: readonly CompanyNumber[],
): Promise<RegistryStatus[]> {
  const companies = new Map(numbers.map(number => [number.company_key, number]))
  const found = await findCompanies(context, [...companies.values()])
  return [...companies.values()].flatMap(({ partner_id, company_key }) =>
    statusOf({ partner_id, company_key }, found.get(company_key)!),
  )
}

/**
 * A company's current registry status; none if the registry no longer knows the company, in which
 * case the stored data stays the same.
 */
function statusOf(
  key: Pick<RegistryStatus, 'partner_id' | 'company_key'>,
  found: FoundCompany,
): RegistryStatus[] {
  if (found.result === 'unknown') return []
  if (found.result === 'unavailable') {
    return [{ ...key, is_active: null, insolvent_since: null, creation_date: null }]
  }
  const { is_active, insolvent_since, creation_date } = found.company
  return [{ ...key, is_active, insolvent_since, creation_date }]
}

/** Joins an invoice's parties, except those unknown to the registry when they were declared. */
const OF_INVOICE = sql`on c.partner_id = i.partner_id and c.id in (i.seller_id, i.buyer_id)
  and c.limit_inputs->'is_active' <> 'null'`

function readParties(
  context: Context,
  partner_id: string,
  invoice_ids: readonly string[],
): Promise<CompanyNumber[]> {
  return readForPartner(context, partner_id, tx =>
    tx.all(sql<CompanyNumber>`
      select distinct c.partner_id, c.company_key, c.identifier, c.identifier_type, c.country
      from invoices i join counterparties c ${OF_INVOICE}
      where i.partner_id = ${partner_id} and i.id = any(${[...invoice_ids]}::uuid[])
      order by c.company_key`),
  )
}

/**
 * Stores changed statuses. The statements are sent without waiting; the transaction's next read
 * waits for them. An answer may have been stored since an unknown status was fetched, which then
 * replaces it: a job stores that answer again.
 */
export function saveRegistryStatuses(tx: Tx, statuses: readonly RegistryStatus[]): void {
  if (statuses.length === 0) return
  saveBorrowerRegistryStatuses(tx, statuses)
  saveCounterpartyRegistryStatuses(tx, statuses)
  const unknown = statuses.filter(status => status.is_active === null)
  for (const { partner_id, company_key } of unknown) {
    enqueueFollowing(tx, { partner_id, company_key })
  }
}
