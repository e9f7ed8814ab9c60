/** What is wrong with a loan request beside what its schema says: so that one answer tells all. */
import { CreateLoanBody } from '@headroom/contract'
import type { Inspect } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { wellFormed } from '../kit/well-formed.ts'
import { learnInvoices } from './brought-invoices.ts'
import { findInvoices, invoiceFaults } from './invoice-facts.ts'
import { inspectRequest } from './read-request.ts'
import { financesInvoices } from './rules.ts'
import { borrowerFault, borrowerName, findBorrowers } from './situation.ts'

export const inspectLoan: Inspect = async (context, { partner_id }, body) => {
  const fields = wellFormed(CreateLoanBody.shape, body)
  const brought = await learnInvoices(context, fields)
  const named = financesInvoices(fields.loan_type ?? '') ? (fields.invoice_ids ?? []) : []
  return transaction(context.database, { partners: [partner_id], read_only: true }, async tx => {
    const inspected = inspectRequest(tx.today, fields)
    const { company_key } = inspected
    const known = await findInvoices(
      tx,
      named.map(invoice_id => ({ partner_id, invoice_id })),
    )
    const faults = [
      ...inspected.faults,
      ...brought.faults,
      ...invoiceFaults({ partner_id }, named, known),
    ]
    if (!company_key) return faults
    const company = { partner_id, company_key }
    const found = (await findBorrowers(tx, [company])).get(borrowerName(company))
    const fault = borrowerFault(found, fields.borrower_financial_product_id)
    return fault ? [...faults, fault] : faults
  })
}
