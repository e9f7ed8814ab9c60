/**
 * Access: callers with their keys, and operators with their sessions. A caller is a named program
 * or human of a partner, whom a key identifies. Rotating a key does not change its caller. Keys are
 * shown once, stored as hashes, and grant no more than their creator has. Operators belong to the
 * lender or to a partner, and a partner's operators see only that partner's data.
 */
export { findTokenHolder, looksLikeToken, mintBorrowerToken } from './borrower-token.ts'
export { ANONYMOUS, type Caller } from './caller.ts'
export { createCaller } from './create-key.ts'
export { deleteOldSignIns } from './delete-sign-ins.ts'
export { deviceIn } from './device-cookie.ts'
export { accessHandlers } from './handlers.ts'
export { networkOf } from './network.ts'
export {
  createOperator,
  disableOperator,
  findOperator,
  type NewOperator,
  type Operator,
  requireRole,
  resetOperator,
} from './operators.ts'
export {
  createPartner,
  INVOICE_REVIEWS,
  type NewPartner,
  readGate,
  readPartnerName,
  setGate,
  setInvoiceReview,
} from './partners.ts'
export { findHolder, type KeyHolder } from './queries.ts'
export { sessionTokenIn } from './session-cookie.ts'
export { sessionHandlers } from './session-handlers.ts'
export { callerOf, checkCsrf, findSession, type SignedIn } from './sessions.ts'
export { recordAudit } from './store-audit.ts'
