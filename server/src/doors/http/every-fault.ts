/** Every fault of a request at once: what its schema, its handler and its room see. */
import type { OperationId, Version } from '@headroom/contract'
import type { Look } from '../../context.ts'
import type { Caller } from '../../platform/access/caller.ts'
import type { SignedIn } from '../../platform/access/index.ts'
import {
  bodySchemaOf,
  querySchemaOf,
  type RawInput,
  withoutLongList,
} from '../../platform/kit/input.ts'
import { pause, timedPauses } from '../../platform/kit/pauses.ts'
import { type InvalidParam, invalid, ProblemError } from '../../platform/kit/problem.ts'
import { wellFormed } from '../../platform/kit/well-formed.ts'
import type { Route } from './carry-out.ts'

/** The caller by its key, or the person signed in at the back office. */
export type Asker = { readonly caller: Caller } | { readonly person: SignedIn | null }

/**
 * Serves a request; where that ends in `request_invalid`, the operation's `inspect` is asked for
 * the faults behind the first ones, and all are thrown together.
 */
export async function withEveryFault<T>(
  { context, operation, handler }: Route,
  asker: Asker,
  version: Version,
  raw: RawInput,
  serve: () => Promise<T>,
): Promise<T> {
  try {
    return await serve()
  } catch (error) {
    const inspect = 'inspect' in handler ? handler.inspect : undefined
    if (!inspect || !(error instanceof ProblemError) || error.code !== 'request_invalid') {
      throw error
    }
    const params = operation.params && wellFormed(operation.params, raw.params)
    const querySchema = querySchemaOf(operation, version)
    const query = querySchema && wellFormed(querySchema, raw.query)
    const schema = bodySchemaOf(operation, version)
    const body = schema && wellFormed(schema, withoutLongList(schema, raw.body))
    if (schema && !body) throw error
    await pause()
    const { faults = [], invalid_params = [] } = error.extras
    const names = new Set(invalid_params.map(fault => fault.name))
    const look = { params, query, body, ...asker, told: names } as unknown as Look<OperationId>
    const more = await inspect(context, look).catch(rejected => {
      // What stands in the way of looking, such as a path that leads nowhere, comes after a 422.
      if (rejected instanceof ProblemError) return []
      throw rejected
    })
    throw invalid([...faults, ...(await newAmong(more, faults))])
  }
}

/**
 * The faults of `more` that are not among `faults`, by their names. A rule about the whole says
 * nothing new where a part is missing or wrong.
 */
async function newAmong(
  more: readonly InvalidParam[],
  faults: readonly InvalidParam[],
): Promise<InvalidParam[]> {
  const names = new Set(more.map(fault => fault.name))
  // Clients choose names of unknown fields: those of our rules say how much of one can matter.
  const longest = more.reduce((most, fault) => Math.max(most, fault.name.length), 0)
  const pauseWhenDue = timedPauses()
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
