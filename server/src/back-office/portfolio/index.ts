/**
 * The portfolio: the state of the business at the end of each day. Each day is recorded once, at
 * the start of the next day, and never changed: later bookings count on the day they are booked.
 * Only charts use it; reports read the ledger.
 */
export { closeDay } from './close-day.ts'
export { readPortfolio, readStanding } from './queries.ts'
