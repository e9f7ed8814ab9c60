/** Builds the row of a new loan from its request, borrower and product. */
import type { Tx } from '../../../platform/db/transaction.ts'
import { rfReference } from '../../../platform/kit/reference.ts'
import { firstDue } from '../installments.ts'
import type { LoanToInsert } from '../store.ts'
import { type BorrowerFacts, feesOf, type ProductRow } from './decision-inputs.ts'
import type { LoanRequest } from './read-request.ts'

type NewLoan = Omit<LoanToInsert, 'status' | 'denial_reason' | 'reserved'>

/**
 * The rate stored for loan types without a product. Such requests are declined, so the rate is
 * never charged.
 */
const RATE_PPM_DEFAULT = 500

export function newLoanRow(
  tx: Tx,
  id: string,
  requester: { partner_id: string; caller_id: string },
  request: LoanRequest,
  request_hash: string,
  facts: BorrowerFacts,
  product: ProductRow | undefined,
  repayment_iban: string,
): NewLoan {
  const { body } = request
  return {
    id,
    partner_id: requester.partner_id,
    caller_id: requester.caller_id,
    borrower_id: facts.id,
    credit_line_id: facts.credit_line_id,
    product_id: product?.id ?? null,
    borrower_product_id: body.borrower_financial_product_id ?? null,
    loan_type: body.loan_type,
    amount: request.amount,
    currency: body.currency,
    rate_ppm: product?.rate_ppm ?? RATE_PPM_DEFAULT,
    ...feesOf(facts, product),
    salt_id: body.salt_id ?? null,
    request_hash,
    auto_validate: body.auto_validate,
    to_pay_on: request.to_pay_on,
    to_repay_on: request.to_repay_on,
    contractual_repayment_on: request.to_repay_on,
    ...firstDue(request, request.installments),
    loan_to: {
      account_number: request.iban ?? body.loan_to.account_number,
      account_number_type: body.loan_to.account_number_type,
      bank_identifier: body.loan_to.bank_identifier ?? '',
      bank_identifier_type: body.loan_to.bank_identifier
        ? body.loan_to.bank_identifier_type
        : 'undefined',
      name: facts.name,
    },
    loan_to_references: body.loan_to_references,
    repayment_from_references: body.repayment_from_references,
    repayment_method: facts.method ?? 'SCT',
    mandate_id: facts.mandate_id,
    wallet_id: facts.wallet_id,
    repayment_iban,
    repayment_reference: rfReference(id),
    notification_emails: body.notification_emails,
    metadata: (body.metadata ?? {}) as never,
    submitted_at: tx.now,
  }
}
