/**
 * Access: who may call. A partner has callers, named programs or people that act through keys. The
 * caller is the identity and the key only proves it, so rotating a key changes nothing else. Keys
 * are shown once, stored as hashes, and grant no more than their creator has. Operators sign in
 * with a password: the lender's own, or a partner's, who see only that partner's data. Other
 * modules may call what is exported here.
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
