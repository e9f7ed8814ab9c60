/**
 * Onboardings: sessions in which a company becomes a borrower, resumable for 24 hours by a signed
 * link. A partner begins one; the steps (company, representative, repayment, terms) are taken on a
 * hosted page by whoever holds the link, or the partner creates and signs the borrower itself: the
 * session follows either way. It is COMPLETED once its borrower has signed, a DUPLICATE when the
 * company was a borrower before or another session of it was gone on with.
 */
export { completeOnboarding, joinOnboarding } from './join-borrower.ts'
export { onboardingViews } from './queries.ts'
export { isResumeSignature, resumeLink } from './resume-link.ts'
export { noteCompliance } from './store.ts'
