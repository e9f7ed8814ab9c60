/**
 * What a business day does, in order, when it begins in Paris. Each run is set-wise and may be
 * repeated: what is done is found done, so a day that was cut off simply runs again.
 */
import { forgetSignIns } from './access/index.ts'
import { generateBills, payPartnerShares, sendBills } from './bills/index.ts'
import { lapseMandates } from './borrowers/index.ts'
import { closeCardCycles, lapseAuthorizations } from './cards/index.ts'
import type { Context } from './context.ts'
import { endOverrides, renewLines } from './credit-lines/index.ts'
import { addDays, type Day } from './kit/dates.ts'
import { reviewLateness, tellFallenDue } from './lateness/index.ts'
import { expireHeldLoans, payDuePayouts, releaseRevocable, renewFolds } from './loans/index.ts'
import { instructDuePayments, payProcessor, returnOldSuspense } from './payments/index.ts'
import { closeDay } from './portfolio/index.ts'
import { followPlans, payRecollectionFees } from './recollection/index.ts'
import { shareRevenue } from './referrers/index.ts'
import { chargeFees } from './subscriptions/index.ts'
import { proveBooks } from './verify.ts'

/** Does a day's work and answers how much there was. */
type Run = (context: Context, today: Day) => Promise<number>

/**
 * The last run of a day. A proof reads everything there is, as it is now: of days that are done one
 * after the other only the last one's is of use.
 */
export const PROOF = 'prove the books'

/** By their names, as people are told of one that fails. */
export const RUNS: Readonly<Record<string, Run>> = {
  'fold loans anew': ({ database }) => renewFolds(database),
  'close the day before': ({ database }, today) => closeDay(database, addDays(today, -1)),
  'tell what falls due': ({ database }, today) => tellFallenDue(database, today),
  'ask the bank': askBank,
  'lapse mandates': ({ database }, today) => lapseMandates(database, today),
  'release headroom': ({ database }, today) => releaseRevocable(database, today),
  'end limits by hand': ({ database }, today) => endOverrides(database, today),
  'renew credit lines': ({ database }, today) => renewLines(database, today),
  'review lateness': ({ database }) => reviewLateness(database),
  'expire held loans': ({ database }, today) => expireHeldLoans(database, today),
  'pay the card processor': payProcessor,
  'pay out loans': ({ database }, today) => payDuePayouts(database, today),
  'lapse card authorisations': ({ database }, today) => lapseAuthorizations(database, today),
  'close card cycles': ({ database }, today) => closeCardCycles(database, today),
  'generate bills': ({ database }, today) => startMonth(database, today),
  'send bills': ({ database }, today) => sendBills(database, today),
  'share revenue': ({ database }, today) => shareRevenue(database, today),
  'charge monthly fees': ({ database }, today) => chargeFees(database, today),
  'pay partners their mark-up': ({ database }, today) => payPartnerShares(database, today),
  'pay recollection fees': ({ database }, today) => payRecollectionFees(database, today),
  'follow installment plans': ({ database }, today) => followPlans(database, today),
  'instruct due payments': ({ database }, today) => instructDuePayments(database, today),
  'return old suspense': ({ database }, today) => returnOldSuspense(database, today),
  'forget sign-ins': ({ database }) => forgetSignIns(database),
  'ask the bank again': askBank,
  [PROOF]: proveBooks,
}

/** The bank does what falls due; its news are booked before the next run looks. */
async function askBank({ ports, worker }: Context, today: Day): Promise<number> {
  await ports.bank.tick(today)
  return worker.drain()
}

/** Bills are generated on the 1st; a repeat finds them there. */
async function startMonth(database: Context['database'], today: Day): Promise<number> {
  return today.endsWith('-01') ? generateBills(database, today) : 0
}
