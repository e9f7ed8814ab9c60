/** What is wrong with loan requests, or what they mean: by themselves, and by what they name. */
import type { Statement, Tx } from '../../../platform/db/transaction.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { invoiceFaults, invoicesNamed } from './invoice-facts.ts'
import { type LoanBody, type LoanRequest, readRequest } from './read-request.ts'
import { borrowerFault, borrowerName, borrowersOf } from './situation.ts'
import type { Requester } from './wanted-loan.ts'

/** A request, or what is well-formed of it. */
interface Asked {
  readonly requester: Requester
  readonly body: WellFormed<LoanBody>
}

/** What a request without faults means. */
export interface CheckedRequest {
  readonly request: LoanRequest
  readonly borrower_id: string
  /** The invoices that it names. */
  readonly invoice_ids: readonly string[]
}

interface Found {
  readonly faults: readonly InvalidParam[]
  readonly meaning: CheckedRequest | null
}

/** Checks one request by itself. */
export async function checkRequest(tx: Tx, asked: Asked): Promise<Found> {
  const [[found]] = await checkRequests(tx, [asked], null)
  return found!
}

/** Checks requests in one round trip, in which `also` is read. */
export async function checkRequests<T>(
  tx: Tx,
  asked: readonly Asked[],
  also: Statement<T> | null,
): Promise<[Found[], T | null]> {
  const read = asked.map(one => ({ ...one, ...readRequest(tx.today, one.body) }))
  const named = asked.map(one => ({ ...one.requester, invoice_ids: invoicesOf(one.body) }))
  const [read_too, borrowers, invoices] = await tx.inOrder([
    also,
    borrowersOf(read.flatMap(companyOf)),
    invoicesNamed(
      named.flatMap(one => one.invoice_ids.map(invoice_id => ({ ...one, invoice_id }))),
    ),
  ])
  const found = read.map((one, index) => {
    const { requester, body, request } = one
    const [company] = companyOf(one)
    const borrower = company && borrowers.get(borrowerName(company))
    const fault = company && borrowerFault(borrower, body)
    const faults = [
      ...one.faults,
      ...(fault ? [fault] : []),
      ...invoiceFaults(requester, body, invoices ?? new Map()),
    ]
    const { invoice_ids } = named[index]!
    return {
      faults,
      meaning: request && borrower ? { request, borrower_id: borrower.id, invoice_ids } : null,
    }
  })
  return [found, read_too as T | null]
}

function companyOf({ requester, company_key }: Asked & { company_key: string | null }) {
  return company_key ? [{ partner_id: requester.partner_id, company_key }] : []
}

function invoicesOf({ loan_type, invoice_ids = [] }: WellFormed<LoanBody>): string[] {
  const told = invoice_ids.filter(id => id !== undefined)
  return financesInvoices(loan_type ?? '') ? [...new Set(told)] : []
}
