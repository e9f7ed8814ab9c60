/** Batches concurrent authorization requests into one transaction. */
import { authorize, type Verdict } from '../cards/index.ts'
import { type Database, transaction } from '../db/transaction.ts'
import type { ProblemError } from '../kit/problem.ts'
import type { AuthorizationAsk } from '../ports/card-issuer.ts'
import { createGroups } from './groups.ts'

type Outcome = Verdict | ProblemError

export function createDecider(database: Database): (ask: AuthorizationAsk) => Promise<Outcome> {
  return createGroups<AuthorizationAsk, Outcome>(
    asks => transaction(database, { partners: '*', purpose: 'card' }, tx => authorize(tx, asks)),
    // Asked again an ask is answered the same: one that fails spoils none of the others.
    () => false,
  )
}
