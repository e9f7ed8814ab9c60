/**
 * Borrowers: companies that borrow. One is created from its company number; what the register
 * knows of it is kept as it was told. It signs the terms of its country, which starts its KYB
 * review; it gets repayment methods, a direct debit each with its mandate. When it has signed and
 * a method is enabled the room states `borrower_progressed`: its credit line is then created and
 * it becomes READY. Accounts on file are those that are proven to be its own. The outside
 * (register, KYB, bank) is asked before the transaction that writes.
 */
export { putAccountsOnFile } from './accounts.ts'
export { blockBorrowers, unblockBorrowers } from './block-borrowers.ts'
export { companyKeys } from './company-keys.ts'
export { setCompliance } from './compliance.ts'
export { ALPHA_3_SERVED, registerCountry } from './country-codes.ts'
export { enableMethod } from './enable-method.ts'
export { endBorrower } from './end-borrower.ts'
export { lapseMandates } from './lapse-mandates.ts'
export { lightBusiness } from './light-business.ts'
export { noteProducts } from './note-products.ts'
export { borrowerBefore, prepareTerms } from './outside.ts'
export { partyOf } from './party.ts'
export { termsInForce } from './products.ts'
export { completeBorrower, progress } from './progress.ts'
export { borrowerViews, findBorrower } from './queries.ts'
export { type BorrowerRow, lockBorrowers, type MethodRow, markMandatesUsed } from './store.ts'
