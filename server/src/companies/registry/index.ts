/**
 * What registries say about companies. A registry outside answers slowly or not at all, so its
 * answers are rows, each with its source, its bytes and how long it holds: requests read the rows,
 * and a job asks the registry. A company without an answer waits for the job, or for two operators
 * who enter it. Publishes `company_answered`.
 */
export { askRegistriesAgain } from './ask-again.ts'
export { type FoundCompany, findCompanies, findCompany } from './find-company.ts'
export { lookUpCompany } from './look-up-company.ts'
export { awaitAnswer, readAnswer, type StoredAnswer } from './queries.ts'
export { saveAnswer } from './save-answer.ts'
