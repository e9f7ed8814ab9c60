/**
 * The back office: what lender operators see and do across all partners. It uses the modules below
 * and stores nothing except the seals of the audit trail.
 */
export { sealAudit } from './audit-chain.ts'
export { applyCompanyFile } from './companies.ts'
export { sendRefundAgain } from './refunds.ts'
export { verifyAudit } from './verify-audit.ts'
