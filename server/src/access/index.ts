/**
 * Access: who may call. A partner has callers, named programs or people that act through keys.
 * Identity is the caller; a key only proves it, so rotating one changes nothing else. Keys are
 * shown once and stored as hashes, and give no more than their creator has. Operators are the
 * lender's own people. Others may call what is exported here.
 */
export { type Caller, NOBODY } from './caller.ts'
export { createCaller } from './create-key.ts'
export { accessHandlers } from './handlers.ts'
export { createOperator, type NewOperator } from './operators.ts'
export { createPartner, type NewPartner, readPartnerName } from './partners.ts'
export { findHolder, type KeyHolder } from './queries.ts'
