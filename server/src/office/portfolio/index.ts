/**
 * The portfolio: how the business stood at the end of each day, for those who look back. A day is
 * written down once, as the first thing of the day after, and never changed: what is learnt later
 * belongs to the day it was booked on. Charts alone are drawn from it; accounts are kept by the
 * books, and reports read those.
 */
export { closeDay } from './close-day.ts'
export { readPortfolio, readStanding } from './queries.ts'
