/**
 * Onboardings: sessions in which a company becomes a borrower, resumable for 24 hours by a signed
 * link. A partner creates one. The holder of the link takes the steps (company, representative,
 * repayment, terms) on a hosted page, or the partner creates and signs the borrower through the
 * API; the session follows either way. It is COMPLETED once the borrower has signed, and a
 * DUPLICATE if the company already was a borrower or continued in another session.
 */
export { completeOnboarding, joinOnboarding } from './join-borrower.ts'
export { onboardingViews } from './queries.ts'
export { isResumeSignature, resumeLink } from './resume-link.ts'
export { noteCompliance } from './store.ts'
