/** What is wrong with a loan request beside what its schema says: so that one answer tells all. */
import { CreateLoanBody } from '@headroom/contract'
import type { Inspect } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { wellFormed } from '../kit/well-formed.ts'
import { inspectRequest } from './read-request.ts'
import { borrowerFault, borrowerName, findBorrowers } from './situation.ts'

export const inspectLoan: Inspect = async ({ database }, { partner_id }, body) => {
  const fields = wellFormed(CreateLoanBody.shape, body)
  return transaction(database, { partners: [partner_id], read_only: true }, async tx => {
    const { faults, company_key } = inspectRequest(tx.today, fields)
    if (!company_key) return faults
    const company = { partner_id, company_key }
    const found = (await findBorrowers(tx, [company])).get(borrowerName(company))
    const fault = borrowerFault(found, fields.borrower_financial_product_id)
    return fault ? [...faults, fault] : faults
  })
}
