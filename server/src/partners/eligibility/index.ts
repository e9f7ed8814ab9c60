/**
 * Eligibility: whether a company could borrow, be paid a loan, sell an invoice or be the buyer on
 * one, decided by pure rules from the registry, compliance checks and the partner's own data.
 * Nothing is written. Also holds the text of each denial code in the borrowers' languages.
 */
export { fullAnswer } from './answers.ts'
export {
  type CompanyData,
  fetchCompanyData,
  readCompanyNumber,
  readEligibilityFacts,
} from './check-company.ts'
export { translationOf } from './denial-texts.ts'
export { denialReasons } from './rules.ts'
