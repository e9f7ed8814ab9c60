/**
 * Borrowers: companies that borrow. A borrower is created from its company number, with the data of
 * the registry. Signing the terms of its country starts its KYB review. It gets repayment methods,
 * each direct debit with its mandate. Once it has signed and a method is enabled, the room states
 * `borrower_progressed`: its credit line is created and it becomes READY. Accounts on file are
 * those proven to be its own. Registry, KYB and bank are called before the transaction that writes.
 * `joining/` creates and signs borrowers, `owners/` identifies their owners, `methods/` and
 * `wallets/` hold repayment methods, `standing/` blocks and closes borrowers.
 */
export { latestAccount, putAccountsOnFile } from './accounts.ts'
export { changeFaults, changeProduct, readProductViews } from './change-product.ts'
export { isTooYoung } from './company-age.ts'
export {
  companyKeys,
  findCalled,
  goesBy,
  goesByOrIs,
  isCalled,
  vatNumbers,
} from './company-keys.ts'
export { readRepresentative } from './directors.ts'
export { Faults } from './faults.ts'
export { ACCOUNT_NAMES } from './joining/read-new-borrower.ts'
export { lightBusiness, type ShownBorrower } from './light-business.ts'
export { enableMethod } from './methods/enable-method.ts'
export { endMandate, endMandateFor } from './methods/end-mandate.ts'
export { lapseMandates } from './methods/lapse-mandates.ts'
export {
  debitedAccounts,
  type Means,
  type MethodInForce,
  methodsInForce,
  sameMeans,
} from './methods/means.ts'
export { noteProducts } from './note-products.ts'
export { borrowerBefore, prepareTerms, verifyAccount } from './outside.ts'
export { partyOf } from './party.ts'
export { termsFor, termsInForce, termsToSign } from './products.ts'
export { completeBorrower, progress } from './progress.ts'
export { borrowerViews, findBorrower, shownBorrower } from './queries.ts'
export { fullAddress, readAccount } from './read-fields.ts'
export { blockByHand, prohibitBorrower, unblockByHand } from './standing/bar-borrower.ts'
export { blockBorrowers, unblockBorrowers } from './standing/block-borrowers.ts'
export { setCompliance } from './standing/compliance.ts'
export { endBorrower } from './standing/end-borrower.ts'
export {
  BORROWER_STANDS_OTHERWISE,
  type BorrowerRow,
  lockBorrowers,
  type MethodRow,
  markMandatesUsed,
  noteBorrowerStandings,
} from './store.ts'
export { walletAccount, walletViews } from './wallets/wallet-queries.ts'
