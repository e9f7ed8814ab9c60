/**
 * The files in which the lender's operators review companies: what they entered, screenings of the
 * company and its people, and the outcome of the review with its risk class. One operator proposes
 * each of these and another confirms it. A file covers the company's borrowers of all partners: an
 * outcome reaches each of them by a job, but what ends an approval opens their KYB reviews in the
 * same transaction, so that their payouts wait.
 */
export { applyFile, lockFileOfBorrower } from './apply-file.ts'
export { confirmProposal, rejectProposal } from './confirm-proposal.ts'
export { decideCompany } from './decide-company.ts'
export { decideHit } from './decide-hit.ts'
export { enterCompany, type NewEntry, readEntry } from './enter-company.ts'
export { companiesToCheck, listCompaniesToCheck } from './list-companies.ts'
export { outcomeOf, readCompanyFile } from './queries.ts'
export { reopenCompany, reopenDueFiles } from './reopen-files.ts'
export { screenCompany } from './screen-company.ts'
