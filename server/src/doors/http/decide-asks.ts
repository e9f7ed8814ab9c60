/** Batches concurrent authorization requests into one transaction. */
import { authorize, type Verdict } from '../../credit/cards/index.ts'
import type { AuthorizationAsk } from '../../outside/ports/card-issuer.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import type { ProblemError } from '../../platform/kit/problem.ts'
import { createGroups } from './groups.ts'

type Outcome = Verdict | ProblemError

export function createDecider(database: Database): (ask: AuthorizationAsk) => Promise<Outcome> {
  return createGroups<AuthorizationAsk, Outcome>(
    asks => transaction(database, { partners: '*', purpose: 'card' }, tx => authorize(tx, asks)),
    // Requests may be retried one by one, since a repeated one gets the same answer.
    () => false,
  )
}
