/** Proposes a decision; its operations are validated by their own schemas. */
import type { Decision, ProposeDecisionBody } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readLongInput } from '../../platform/kit/long-input.ts'
import { createYielder } from '../../platform/kit/pauses.ts'
import { type InvalidParam, ProblemError } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { findOperation } from './planned-operation.ts'
import { readDecision } from './queries.ts'
import { countReferences, REFERENCES_MAX } from './references.ts'
import { insertDecision } from './store.ts'

type Planned = ProposeDecisionBody['operations'][number]

/** Creates a decision in PROPOSED and returns it. */
export async function proposeDecision(
  tx: Tx,
  caller: Caller,
  body: ProposeDecisionBody,
): Promise<Decision> {
  const { partner_id, version } = caller
  const decision_id = await insertDecision(tx, { ...body, partner_id, version })
  return readDecision(tx, { partner_id, decision_id })
}

/**
 * The faults of a proposal's operations that can be found before execution. An operation with
 * references is validated in full only when it is executed. Yields to other requests between
 * operations.
 */
export async function plannedFaults(
  caller: Caller,
  operations: WellFormed<ProposeDecisionBody>['operations'] = [],
): Promise<InvalidParam[]> {
  const found: InvalidParam[] = []
  const pauseWhenDue = createYielder({ at_once: true })
  for (const [index, planned] of operations.entries()) {
    await pauseWhenDue()
    const { method, path, body } = planned ?? {}
    const faults = method && path ? await faultsOf(caller, { method, path, body }) : []
    for (const { name, reason } of faults) {
      found.push({ name: `operations.${index}.${name}`, reason })
    }
  }
  return found
}

async function faultsOf(caller: Caller, { method, path, body }: Planned): Promise<InvalidParam[]> {
  const meant = findOperation(method, path)
  if (!meant) {
    const reason = `is no operation that needs a decision: ${method} ${path}`
    return [{ name: 'path', reason }]
  }
  if (meant.operation.scope === 'decisions:review') {
    return [{ name: 'path', reason: 'is for people alone; no decision lets an agent do it' }]
  }
  const references = countReferences(body)
  if (references > REFERENCES_MAX) {
    const most = REFERENCES_MAX.toLocaleString('en')
    return [{ name: 'body', reason: `has more than ${most} references to earlier steps` }]
  }
  if (references > 0 || countReferences(path) > 0) return []
  try {
    const raw = { params: meant.params, query: {}, body: body ?? undefined }
    await readLongInput(meant.operation, caller.version, raw)
    return []
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const named = error.extras.invalid_params ?? []
    return named.map(({ name, reason }) => ({ name: placeOf(name, meant.params), reason }))
  }
}

/** A fault in a placeholder is reported on the path. */
function placeOf(name: string, params: Record<string, string>): string {
  if (Object.hasOwn(params, name)) return 'path'
  return name === 'body' ? name : `body.${name}`
}
