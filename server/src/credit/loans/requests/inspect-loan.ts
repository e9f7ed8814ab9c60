/** What is wrong with a loan request beside what its schema says: so that one answer tells all. */
import type { Inspect, Look } from '../../../context.ts'
import { readAs } from '../../../platform/db/transaction.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { newInvoiceFaults } from '../../invoices/index.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { findInvoices, invoiceFaults } from './invoice-facts.ts'
import { inspectRequest, type LoanBody } from './read-request.ts'
import { borrowerFault, borrowerName, findBorrowers } from './situation.ts'

/** Creation and preview ask the same. */
export const inspectLoan: Inspect<'createLoan'> & Inspect<'previewLoan'> = async (
  context,
  { body, caller, told }: Pick<Look<'previewLoan'>, 'body' | 'caller' | 'told'>,
) => {
  const { partner_id } = caller
  const ids = body.invoice_ids ?? []
  const named = financesInvoices(body.loan_type ?? '') ? ids.filter(id => id !== undefined) : []
  const brought = await broughtFaults(partner_id, body, told)
  return readAs(context, partner_id, async tx => {
    const inspected = inspectRequest(tx.today, body)
    const { company_key } = inspected
    const known = await findInvoices(
      tx,
      named.map(invoice_id => ({ partner_id, invoice_id })),
    )
    const faults = [...inspected.faults, ...brought, ...invoiceFaults(caller, body, known)]
    if (!company_key) return faults
    const company = { partner_id, company_key }
    const found = (await findBorrowers(tx, [company])).get(borrowerName(company))
    const fault = borrowerFault(found, body)
    return fault ? [...faults, fault] : faults
  })
}

async function broughtFaults(
  partner_id: string,
  body: WellFormed<LoanBody>,
  told: ReadonlySet<string>,
): Promise<InvalidParam[]> {
  if (!financesInvoices(body.loan_type ?? '')) return []
  const faults = (body.invoices ?? []).map(async (invoice, index) => {
    const at = `invoices.${index}`
    const found = await newInvoiceFaults(partner_id, invoice ?? {}, told.has(`${at}.document`))
    return found.map(({ name, reason }) => ({ name: `${at}.${name}`, reason }))
  })
  return (await Promise.all(faults)).flat()
}
