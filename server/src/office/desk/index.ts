/**
 * The desk: what the lender's own people see and do over all partners. It is a client of the rooms
 * below, and keeps nothing of its own but the seals of the audit trail, which it tells.
 */
export { sealAudit } from './audit-chain.ts'
export { sendRefundAgain } from './refunds.ts'
export { verifyAudit } from './verify-audit.ts'
