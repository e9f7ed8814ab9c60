/**
 * Cards: a borrower's card draws on its credit line in real time. The processor asks for approval
 * while the merchant waits; the transaction that checks the available credit also holds the
 * approved amount on the line. A clearing counts in full, even if it exceeds its authorization. At
 * the end of the month, a line's cleared spending becomes one loan, billed and collected like any
 * other. Returned money reduces the spending or repays those loans. The processor's news may be
 * repeated, late or out of order, so an entry must not depend on the order in which news arrives.
 * Card numbers and security codes never reach this service.
 */
export { type AuthorizationDecision, authorize } from './authorize.ts'
export { applyCardEvents, bookCardEvents, receiveCardEvents } from './book-card-events.ts'
export { cancelCards } from './card-status.ts'
export { closeCardCycles } from './close-cycles.ts'
export { followReturnedRepayments } from './credits.ts'
export { lapseAuthorizations } from './follow-authorization.ts'
export { followCardOrder } from './follow-order.ts'
export { cardViews, entryView, entryViews } from './queries.ts'
export type { EntryRow } from './store.ts'
export { verifyCards } from './verify.ts'
