/**
 * Cards: a borrower's card spends its credit line, in real time. The processor asks while the
 * merchant waits; what is approved is held on the line in the same transaction that found it free.
 * What is cleared uses the line at once, whatever was authorised, and at the end of the month
 * becomes one loan, billed and collected like any other. Money that comes back lessens what was
 * spent, or repays those loans. News of the processor may come twice, late or in any order: an
 * entry follows from all that is known of it, not from when it became known. Numbers and codes of
 * cards never come here.
 */
export { authorize, type Verdict } from './authorize.ts'
export { followReturnedMoney } from './book-credit.ts'
export { bookCardNews, followNews, receiveCardNews } from './book-news.ts'
export { cancelCards } from './cancel-cards.ts'
export { closeCardCycles } from './close-cycles.ts'
export { followCardOrder } from './follow-order.ts'
export { lapseAuthorizations } from './lapse-authorizations.ts'
export { cardViews, entryView, entryViews } from './queries.ts'
export type { EntryRow } from './store.ts'
export { verifyCards } from './verify.ts'
