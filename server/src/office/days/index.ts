/**
 * The business day: what it does when it begins in Paris, in order (`day-runs.ts`), which of that
 * has nothing to do (`day-outlook.ts`), and how days follow each other when the clock is moved.
 */
export { advanceClock, endProposals, runBusinessDay } from './business-day.ts'
