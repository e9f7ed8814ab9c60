/** Checks loan requests: their own data, and the records to which they refer. */
import type { Tx } from '../../../platform/db/transaction.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { borrowerFault, findRequestMatches, type RequestMatch } from './decision-inputs.ts'
import { findInvoicesById, invoiceFaults } from './invoice-facts.ts'
import type { LoanRequester } from './pending-request.ts'
import { type LoanBody, type LoanRequest, readRequest } from './read-request.ts'
import type { RegistryStatus } from './registry-status.ts'

/** A request as received; fields may be missing or malformed. */
interface UncheckedRequest {
  readonly requester: LoanRequester
  readonly body: WellFormed<LoanBody>
  /** The registry's data on the companies in the request, if it was queried. */
  readonly statuses?: readonly RegistryStatus[]
}

export interface CheckedRequest {
  readonly request: LoanRequest
  readonly borrower_id: string
  /** Ids of the request's stored invoices. */
  readonly invoice_ids: readonly string[]
}

interface Checked {
  readonly faults: readonly InvalidParam[]
  readonly meaning: CheckedRequest | null
  /** The loan already requested with the same client reference. */
  readonly first: RequestMatch['first']
  /** Whether the registry's data for any request checked together differs from what is stored. */
  readonly has_news: boolean
}

export async function checkRequest(tx: Tx, requests: UncheckedRequest): Promise<Checked> {
  const [checked] = await checkRequests(tx, [requests])
  return checked!
}

/** Checks requests and finds the loans of repeated ones, in one round trip. */
export async function checkRequests(
  tx: Tx,
  requests: readonly UncheckedRequest[],
): Promise<Checked[]> {
  const read = requests.map(one => ({ ...one, ...readRequest(tx.today, one.body) }))
  const named = requests.map(one => ({ ...one.requester, invoice_ids: invoicesOf(one.body) }))
  const names = read.map(({ requester: { partner_id }, body, company_key }) => ({
    partner_id,
    salt_id: body.salt_id ?? null,
    company_key,
  }))
  const statuses = requests.flatMap(one => one.statuses ?? [])
  const [found, invoices] = await tx.inOrder([
    findRequestMatches(names, statuses),
    findInvoicesById(
      named.flatMap(one => one.invoice_ids.map(invoice_id => ({ ...one, invoice_id }))),
    ),
  ])
  return read.map(({ requester, body, request, company_key, faults }, index) => {
    const { first, borrower, news } = found[index]!
    const fault = company_key === null ? null : borrowerFault(borrower, body)
    const { invoice_ids } = named[index]!
    return {
      first,
      has_news: news > 0,
      faults: [
        ...faults,
        ...(fault ? [fault] : []),
        ...invoiceFaults(requester, body, invoices ?? new Map()),
      ],
      meaning: request && borrower ? { request, borrower_id: borrower.id, invoice_ids } : null,
    }
  })
}

function invoicesOf({ loan_type, invoice_ids = [] }: WellFormed<LoanBody>): string[] {
  const given = invoice_ids.filter(id => id !== undefined)
  return financesInvoices(loan_type ?? '') ? [...new Set(given)] : []
}
