/** Collects every fault of a request: those of its schema and those of the rules beyond it. */
import type { OperationId, Version } from '@headroom/contract'
import { type PartialCall, requireValid, type Validation } from '../../context.ts'
import type { Caller } from '../../platform/access/caller.ts'
import type { SignedIn } from '../../platform/access/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { bodySchemaOf, type Input, querySchemaOf, type RawInput } from '../../platform/kit/input.ts'
import { checkLongFiles } from '../../platform/kit/long-files.ts'
import { readLongInput, withoutLongList } from '../../platform/kit/long-input.ts'
import { createYielder, yieldThread } from '../../platform/kit/pauses.ts'
import { type InvalidParam, invalid, ProblemError } from '../../platform/kit/problem.ts'
import { wellFormed } from '../../platform/kit/well-formed.ts'
import { type Route, rulesOf, scopeOf } from './route.ts'

export type RequestIdentity = { readonly caller: Caller } | { readonly person: SignedIn | null }

/**
 * Reads a request by its schemas, in its turn. If they refuse it, the operation's rules check its
 * valid parts, and all faults are thrown together.
 */
export async function readRequest(
  route: Route,
  identity: RequestIdentity,
  version: Version,
  raw: RawInput,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<Input> {
  const { operation } = route
  const schema = bodySchemaOf(operation, version)
  const files = await inTurn(() => checkLongFiles(schema, raw.body))
  const { body: sent } = files
  try {
    const input = await inTurn(() => readLongInput(operation, version, { ...raw, body: sent }))
    files.restore(input.body)
    return input
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'request_invalid') throw error
    const rules = rulesOf(route)
    if (!rules.read && !rules.check) throw error
    const params = operation.params && wellFormed(operation.params, raw.params)
    const querySchema = querySchemaOf(operation, version)
    const query = querySchema && wellFormed(querySchema, raw.query)
    const body = schema && wellFormed(schema, withoutLongList(schema, sent))
    if (schema && !body) throw error
    files.restore(body)
    await yieldThread()
    const look = { params, query, body, ...identity } as unknown as PartialCall<OperationId>
    const found = await faultsFrom(() => rules.read?.(route.context, look))
    const { faults = [] } = error.extras
    const more = [...found.faults, ...(await checkFaults(route, look, found))]
    throw invalid([...faults, ...(await newAmong(more, faults))])
  }
}

/**
 * The parsed meaning of a valid request, by the rules applied before its transaction. Throws
 * `request_invalid` with every fault, including those the check in the transaction would find.
 */
export async function validateRequest(
  route: Route,
  look: PartialCall<OperationId>,
): Promise<unknown> {
  const found = await rulesOf(route).read?.(route.context, look)
  if (!found) return undefined
  if (found.faults.length === 0) return requireValid(found)
  throw invalid([...found.faults, ...(await checkFaults(route, look, found))])
}

async function checkFaults(
  route: Route,
  look: PartialCall<OperationId>,
  { meaning = null }: Validation<unknown>,
): Promise<readonly InvalidParam[]> {
  const { check } = rulesOf(route)
  if (!check) return []
  const { database } = route.context
  const { faults } = await faultsFrom(() =>
    transaction(database, scopeOf(route, look), async tx => check(tx, look, meaning)),
  )
  return faults
}

/** Ignores other problems, such as an unknown resource in the path: the 422 takes precedence. */
async function faultsFrom(
  look: () => Validation<unknown> | Promise<Validation<unknown>> | undefined,
): Promise<Validation<unknown>> {
  try {
    return (await look()) ?? { faults: [] }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { faults: error.extras.faults ?? [] }
  }
}

/**
 * The faults in `more` whose names are not among `faults`. A rule about a whole object adds nothing
 * when one of its parts is missing or wrong.
 */
async function newAmong(
  more: readonly InvalidParam[],
  faults: readonly InvalidParam[],
): Promise<InvalidParam[]> {
  const names = new Set(more.map(fault => fault.name))
  // Clients choose the names of unknown fields, which may be far longer than any of ours.
  const longest = more.reduce((most, fault) => Math.max(most, fault.name.length), 0)
  const pauseWhenDue = createYielder()
  for (const { name } of faults) {
    if (names.size === 0) break
    await pauseWhenDue()
    names.delete(name)
    const start = name.slice(0, longest + 1)
    for (let dot = start.indexOf('.'); dot >= 0; dot = start.indexOf('.', dot + 1)) {
      names.delete(start.slice(0, dot))
    }
  }
  return more.filter(fault => names.has(fault.name))
}
