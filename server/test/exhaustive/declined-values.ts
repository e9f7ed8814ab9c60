/**
 * Values of the public record that the service declines: their places, and the expected reasons.
 */
import type { OperationId } from '@headroom/contract'

type Declined = readonly (readonly [where: RegExp, why: RegExp])[]

const NOT_A_NUMBER = [
  [/identifier_type=name$/, /422 .*identifier_type (is no company number|a name does not tell)/],
] as const

const NO_WALLET_PLANS = [[/_method=P2P$/, /422 .*the borrower lets no wallet be debited/]] as const

/** Identifier types under which the number belongs to another company. */
const OTHER = 'identifier_type=(belgium|bsn|cif|hr_|kvk|nif|steuer)'

export const DECLINED_VALUES: Partial<Record<OperationId, Declined>> = {
  createBorrower: [
    [/^directors\[\]\.entity_type=/, /422 .*entity_type a director is people or business/],
  ],
  setSandboxEligibility: NOT_A_NUMBER,
  createDataBatch: [
    ...NOT_A_NUMBER,
    [/^auto_cancel_ongoing_batch_for_business=false$/, /409 .*is CREATED: close it first/],
  ],
  shareAccounts: NOT_A_NUMBER,
  shareTransactions: NOT_A_NUMBER,
  shareInvoices: [[/^identifier_type=name$/, /422 .*identifier_type a name does not tell/]],
  createLoan: [
    [/^borrower=null$/, /422 .*borrower/],
    [/^salt_id=null$/, /422 .*salt_id/],
    [/^attachments...time_sheet=null$/, /422 .*time_sheet is required for this document_type/],
    [/^currency=GBP$/, /422 .*currency only EUR is lent/],
    [/^borrower.identifier_type=name$/, /422 .*a borrower is named by its company number/],
    [new RegExp(`^borrower.${OTHER}`), /BORROWER_TO_SIGN|no borrower of yours/],
    [/^loan_type=(CREDIT|FUNDING|INVENTORY)/, /^DECLINED FINANCIAL_PRODUCT_NOT_IN_RELEASE$/],
    [new RegExp(`^loan_to.account_holder.${OTHER}`), /^DECLINED UNAUTHORIZED_LOAN_PAYMENT_BENEF/],
    [/^loan_to.account_holder.identifier_type=name$/, /^DECLINED UNAUTHORIZED_LOAN_PAYMENT_BENEF/],
    [/^loan_to.account_number_type=/, /^DECLINED UNAUTHORIZED_LOAN_PAYMENT_(ACCOUNT|BENEFICIARY)$/],
    [/^invoices...to_account=null$/, /422 .*to_account is required for invoice financing/],
    [/^invoices...(buyer|seller).identifier=null$/, /^DECLINED FILL_INVOICE_(BUYER|SELLER)_INFOR/],
    [/^invoices...(buyer|seller).identifier_type=name$/, /^DECLINED FILL_INVOICE_(BUYER|SELLER)/],
    [new RegExp(`^invoices...seller.${OTHER}`), /^DECLINED INVOICE_NON_ELIGIBLE_USE_CASE$/],
    // The buyer would be the seller.
    [/^invoices...buyer.identifier_type=(sire|vat)/, /^DECLINED INVOICE_NON_ELIGIBLE_USE_CASE$/],
    [/^invoices...(currency=GBP|tax_amount=null)$/, /^DECLINED INVOICE_DOES_NOT_MATCH_ELIGIBILITY/],
  ],
  changeLoan: [
    [/^lender_id$/, /422 .*there is one lender here/],
    [/^loan_to.account_holder.identifier_type=/, /409 .*UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY/],
    [/^loan_to.account_number_type=/, /409 .*UNAUTHORIZED_LOAN_PAYMENT_(ACCOUNT|BENEFICIARY)/],
  ],
  setRepaymentTerms: [[/repayment_method=P2P$/, /409 .*the borrower has no P2P in force/]],
  createRecollectionCase: [
    [/identifier_type=name$/, /422 .*a borrower is named by its number/],
    [new RegExp(OTHER), /422 .*(no loan of this debtor|no borrower of yours)/],
  ],
  computeRecollectionInstallmentPlan: NO_WALLET_PLANS,
  createRecollectionInstallmentPlan: NO_WALLET_PLANS,
  createInstallmentPlan: [
    ...NO_WALLET_PLANS,
    [/^from_account.account_number_type=/, /422 .*account_number is no IBAN and no wallet/],
  ],
}
