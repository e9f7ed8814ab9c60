/**
 * The runs of a business day, in order. They start when the day begins in Paris. Each can be
 * repeated without effect, so an interrupted day simply runs again.
 */
import { lapseMandates } from '../../companies/borrowers/index.ts'
import { reopenDueFiles } from '../../companies/company-files/index.ts'
import { endOverrides, reassessDueLines } from '../../companies/credit-lines/index.ts'
import { askRegistriesAgain } from '../../companies/registry/index.ts'
import type { Context } from '../../context.ts'
import {
  generateBills,
  payPartnerShares,
  sendBills,
  setOffReopened,
} from '../../credit/bills/index.ts'
import { closeCardCycles, lapseAuthorizations } from '../../credit/cards/index.ts'
import { logDueItems, reviewOverdueLoans } from '../../credit/delinquency/index.ts'
import {
  expireHeldLoans,
  payDuePayouts,
  recomputeMarkedLoans,
  releaseRevocable,
} from '../../credit/loans/index.ts'
import { followPlans, payRecollectionFees, remindOfPlans } from '../../credit/recollection/index.ts'
import { chargeFees, debitFeesAgain } from '../../credit/subscriptions/index.ts'
import {
  followStatements,
  hasProcessorToPay,
  hasUntied,
  instructDuePayments,
  payProcessor,
  returnOldSuspense,
  sendUnsentPayments,
} from '../../money/payments/index.ts'
import { expireDecisions } from '../../partners/decisions/index.ts'
import { shareRevenue } from '../../partners/referrers/index.ts'
import type { Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'
import { closeDay } from '../portfolio/index.ts'
import { verifyBooksNightly } from '../verification/index.ts'

/**
 * A run that pages through its work, or can check for it, may be skipped if it has none. Any other
 * run always executes. Each returns how much it did.
 */
export type DayRun =
  | { readonly pages: (today: Day) => Paged | readonly Paged[] }
  | {
      readonly work: (context: Context, today: Day) => Promise<number>
      /** Whether the run may have work. Absent if only executing the run shows that. */
      readonly has_work?: (tx: Tx) => Promise<boolean>
      /** Whether no other run reads what this run writes. */
      readonly is_apart?: boolean
    }

/**
 * The last run of a day. Verification reads the books as they are now, so when several days run in
 * sequence only the last one needs it.
 */
export const VERIFICATION = 'verify the books'

/** Keyed by the name that alerts show if the run fails. */
export const RUNS: Readonly<Record<string, DayRun>> = {
  'recompute marked loans': { pages: recomputeMarkedLoans },
  'close the previous day': {
    work: ({ database }, today) => closeDay(database, addDays(today, -1)),
    is_apart: true,
  },
  'log amounts due': { pages: logDueItems },
  'poll the bank': { work: pollBank },
  'lapse mandates': { pages: lapseMandates },
  'release reserved credit': { pages: releaseRevocable },
  'end limit overrides': { pages: endOverrides },
  'renew credit lines': { pages: reassessDueLines },
  // Releases the debts of broken plans, so it comes before the runs that collect them.
  'follow installment plans': { pages: followPlans },
  'remind of installments': { pages: remindOfPlans },
  'ask registries again': { pages: askRegistriesAgain },
  // Holds the payouts of later runs.
  'open company reviews': { pages: reopenDueFiles },
  'review overdue loans': { pages: reviewOverdueLoans },
  'end proposals': { pages: expireDecisions },
  'expire held loans': { pages: expireHeldLoans },
  'pay the card processor': { work: payProcessor, has_work: hasProcessorToPay },
  'send held payments': { pages: sendUnsentPayments },
  'pay out loans': { pages: payDuePayouts },
  'lapse card authorisations': { pages: lapseAuthorizations },
  'close card cycles': { pages: closeCardCycles },
  'generate bills': { work: ({ database }, today) => startMonth(database, today) },
  'send bills': { pages: sendBills },
  'share revenue': { pages: shareRevenue },
  'charge monthly fees': { pages: chargeFees },
  'debit monthly fees again': { pages: debitFeesAgain },
  'pay partners their mark-up': { pages: payPartnerShares },
  'pay recollection fees': { pages: payRecollectionFees },
  'set off credits': { pages: setOffReopened },
  'instruct due payments': { pages: instructDuePayments },
  'return unmatched payments': { pages: returnOldSuspense },
  'poll the bank again': { work: pollBank },
  'tie out bank accounts': { work: followStatements, has_work: hasUntied },
  [VERIFICATION]: { work: verifyBooksNightly },
}

/** Makes a simulated bank process what is due. Its news is booked before the next run. */
function pollBank({ ports }: Context, today: Day): Promise<number> {
  return ports.bank.tick(today)
}

/** Generates bills on the 1st. Repeating it has no effect. */
async function startMonth(database: Context['database'], today: Day): Promise<number> {
  return today.endsWith('-01') ? generateBills(database, today) : 0
}
