/** Batches concurrent authorization requests into one transaction. */
import { type AuthorizationDecision, authorize } from '../../credit/cards/index.ts'
import type { AuthorizationRequest } from '../../integrations/ports/card-issuer.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import type { ProblemError } from '../../platform/kit/problem.ts'
import { createBatcher } from './batcher.ts'

type Outcome = AuthorizationDecision | ProblemError

export function createAuthorizationBatcher(
  database: Database,
): (ask: AuthorizationRequest) => Promise<Outcome> {
  return createBatcher<AuthorizationRequest, Outcome>(
    requests =>
      transaction(database, { partners: '*', purpose: 'card', actor: 'processor' }, tx =>
        authorize(tx, requests),
      ),
    // Requests may be retried one by one, since a repeated one gets the same answer.
    () => false,
  )
}
