/** Proposes to approve or reject a company. */
import type { AdminBody } from '@headroom/contract'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { propose } from './propose.ts'
import { findNumber, missingIn } from './queries.ts'
import { lockFileOf } from './store.ts'

/**
 * Returns the proposal's id. An approval may renew one that holds, or lift a rejection. Throws
 * `resource_unknown`, or `state_conflict` if the company is rejected already, another proposal
 * waits, or an approval lacks something.
 */
export async function decideCompany(
  tx: Tx,
  company_key: string,
  body: AdminBody<'decideCompany'>,
): Promise<string> {
  const file = await lockFileOf(tx, await findNumber(tx, company_key))
  const { reason, evidence } = body
  if (body.outcome === 'REJECTED') {
    if (file.outcome === 'REJECTED') throw problem('state_conflict', 'It is rejected already.')
    return propose(tx, file, { kind: 'REFUSAL', reason }, evidence)
  }
  const { risk_class } = body
  await refuseIncomplete(tx, { ...file, risk_class })
  return propose(tx, file, { kind: 'APPROVAL', risk_class, reason }, evidence)
}

/** Throws `state_conflict` with what the approval lacks. */
export async function refuseIncomplete(
  tx: Tx,
  file: Parameters<typeof missingIn>[1],
): Promise<void> {
  const missing = await missingIn(tx, file)
  if (missing.length > 0) throw problem('state_conflict', `It needs ${missing.join('; ')}.`)
}
