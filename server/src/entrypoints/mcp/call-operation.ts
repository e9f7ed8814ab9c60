/** Turns a tool's arguments into a request for its operation. */
import type { Operation } from '@headroom/contract'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import { DECISION_ARGUMENT, KEY_ARGUMENT } from './tools.ts'

export interface ToolRequest {
  readonly method: Operation['method']
  readonly address: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
}

export type SendRequest = (request: ToolRequest) => Promise<Answer>

type Arguments = Readonly<Record<string, unknown>>

/** Node's limit for a request's head, which includes the address. */
export const ADDRESS_LENGTH_MAX = 16 * 1024

/**
 * The request for a tool's arguments. Throws `request_invalid` for arguments that cannot form a
 * request. The operation itself checks their values.
 */
export function requestOf(operation: Operation, given: Arguments): ToolRequest {
  checkNames(operation, given)
  checkLengths(operation, given)
  const { [DECISION_ARGUMENT]: decision, [KEY_ARGUMENT]: key, body } = given
  const headers = {
    ...(operation.gated && header('x-decision-id', decision)),
    ...header('idempotency-key', key),
  }
  return { method: operation.method, address: addressOf(operation, given), body, headers }
}

const header = (name: string, value: unknown): Record<string, string> =>
  value === undefined || value === null ? {} : { [name]: String(value) }

function checkNames(operation: Operation, given: Arguments): void {
  const { params, query, body, path } = operation
  const known = [
    ...Object.keys({ ...params?.shape, ...query?.shape }),
    ...(body ? ['body'] : []),
    DECISION_ARGUMENT,
    KEY_ARGUMENT,
  ]
  const faults: InvalidParam[] = Object.keys(given)
    .filter(name => !known.includes(name))
    .map(name => ({ name, reason: 'is not a known argument' }))
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
    const value = given[name!]
    const fits = typeof value === 'string' && value !== '' && !/^\.{1,2}$/.test(value)
    if (!fits) faults.push({ name: name!, reason: 'is required, as a text' })
  }
  for (const name of [DECISION_ARGUMENT, KEY_ARGUMENT]) {
    const value = given[name] ?? ''
    if (typeof value !== 'string') faults.push({ name, reason: 'is a text' })
  }
  if (faults.length > 0) throw invalid(faults)
}

/** Limits the arguments in the address and headers before they are processed. */
function checkLengths({ params, query }: Operation, given: Arguments): void {
  const names = Object.keys({ ...params?.shape, ...query?.shape })
  let left = ADDRESS_LENGTH_MAX
  for (const name of [...names, DECISION_ARGUMENT, KEY_ARGUMENT]) {
    for (const value of [given[name]].flat()) {
      if (typeof value === 'object' && value !== null) throw invalid({ name, reason: 'is a text' })
      // Numbers are short. Every value also takes a separator.
      left -= 1 + (typeof value === 'string' ? value.length : 0)
    }
    const reason = `is too long: these arguments have ${ADDRESS_LENGTH_MAX} characters together`
    if (left < 0) throw invalid({ name, reason })
  }
}

function addressOf({ path, query }: Operation, given: Arguments): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(given[name])))
  const search = new URLSearchParams()
  for (const name of Object.keys(query?.shape ?? {})) {
    const value = given[name]
    if (value === undefined || value === null) continue
    for (const one of [value].flat()) search.append(name, String(one))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}
