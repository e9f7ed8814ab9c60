/**
 * The business day: its runs in order (`day-runs.ts`), which runs have nothing to do
 * (`day-outlook.ts`), and the sequence of days as time passes or the clock is moved.
 */
export { advanceClock, endProposals, runBusinessDay } from './business-day.ts'
