/**
 * Borrowers: companies that borrow. A borrower is created from its company number, with the data of
 * the registry. When it signs the terms of its country, its compliance is checked. Once it has
 * signed and a repayment method is enabled, the module publishes `borrower_progressed`: its credit
 * line is created and it becomes READY. Accounts put on file are checked with the bank and against
 * the accounts of other companies. Registry, compliance service and bank are called before the
 * transaction that writes. `registration/` creates and signs borrowers, `owners/` stores their
 * owners, `repayment-methods/` and `wallets/` hold what can be debited, `restrictions/` blocks and
 * closes borrowers.
 */
export { latestAccount, putAccountsOnFile } from './accounts.ts'
export { advanceBorrower, completeBorrower } from './advance-borrower.ts'
export { type BorrowerSummary, lightBusiness } from './borrower-summary.ts'
export { changeFaults, changeProduct, readProductViews } from './change-product.ts'
export { isTooYoung } from './company-age.ts'
export {
  companyKeys,
  findBorrowerIds,
  matchesIdentifier,
  matchesIdentifierOrId,
  matchesNumber,
  vatNumbers,
} from './company-keys.ts'
export { fullName, readRepresentative } from './directors.ts'
export { prepareTerms, readBorrowerOutsideTransaction, verifyAccount } from './external-checks.ts'
export { FaultCollector } from './faults.ts'
export { enqueueFollowing, followCompany, followCompanyOfBorrowers } from './follow-company.ts'
export { partyOf } from './party.ts'
export { currentTerms, monthlyFeeOf, termsFor, termsToSign } from './products.ts'
export { borrowerSummary, borrowerViews, findBorrower } from './queries.ts'
export { fullAddress, readAccount } from './read-fields.ts'
export { recordProductEvents } from './record-product-events.ts'
export { ACCOUNT_NAMES } from './registration/read-new-borrower.ts'
export {
  type ActiveMethod,
  activeMethods,
  type DebitSource,
  debitedAccounts,
  sameDebitSource,
} from './repayment-methods/debit-source.ts'
export { enableMethod } from './repayment-methods/enable-method.ts'
export { endMandate, endMandateFor, isMandateEnding } from './repayment-methods/end-mandate.ts'
export { lapseMandates } from './repayment-methods/lapse-mandates.ts'
export { blockBorrowers, unblockBorrowers } from './restrictions/block-borrowers.ts'
export {
  blockBorrowerManually,
  prohibitBorrower,
  unblockBorrowerManually,
} from './restrictions/block-manually.ts'
export { reopenCompliance, setCompliance } from './restrictions/compliance.ts'
export { endBorrower } from './restrictions/end-borrower.ts'
export { complianceOn, IS_FROZEN, mayBePaid } from './restrictions/may-be-paid.ts'
export {
  BORROWER_REGISTRY_CHANGED,
  type BorrowerRow,
  lockBorrowers,
  type MethodRow,
  markMandatesUsed,
  saveBorrowerRegistryStatuses,
  setApprovedUntil,
  setFrozen,
} from './store.ts'
export { walletAccount, walletViews } from './wallets/wallet-queries.ts'
