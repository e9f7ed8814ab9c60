/** Expected refusals: thrown anywhere while handling a request, answered as RFC 9457 problems. */
import { type ProblemCode, problems } from '@headroom/contract'

export interface InvalidParam {
  name: string
  reason: string
}

export interface ProblemExtras {
  invalid_params?: InvalidParam[]
  /** The number of faults not listed in `invalid_params`. */
  more_faults?: number
  /** All faults, for code that adds others. Never part of the response. */
  faults?: readonly InvalidParam[]
  /** The existing resource in conflict, e.g. the loan that already uses the client reference. */
  resource_id?: string
  retry_after_seconds?: number
}

export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly code: ProblemCode
  readonly status: number
  readonly extras: ProblemExtras

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras) {
    super(detail)
    this.code = code
    this.status = problems[code].status
    this.extras = extras
  }
}

/** A problem from the closed list, to be thrown. `detail` defaults to the code's meaning. */
export function problem(
  code: ProblemCode,
  detail: string = problems[code].meaning,
  extras: ProblemExtras = {},
): ProblemError {
  return new ProblemError(code, detail, extras)
}

const FAULTS_NAMED_MAX = 20
const NAME_LENGTH_MAX = 200

/** A 422 problem listing the first twenty faults and counting the rest. */
export function invalid(found: InvalidParam | readonly InvalidParam[]): ProblemError {
  const faults = 'name' in found ? [found] : found
  const invalid_params = faults
    .slice(0, FAULTS_NAMED_MAX)
    .map(({ name, reason }) => ({ name: shortened(name), reason }))
  const more_faults = faults.length - invalid_params.length
  const named = invalid_params.map(p => `${p.name}: ${p.reason}`).join('; ')
  const detail = more_faults > 0 ? `${named}; and ${more_faults} more faults` : named
  return problem('request_invalid', detail, { invalid_params, more_faults, faults })
}

/** Truncates field names, which a caller may make a megabyte long. */
function shortened(name: string): string {
  return name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}…` : name
}

/** Returns the result of `work`, or its `request_invalid` faults. Rethrows other errors. */
export async function findingsIn<T>(
  work: () => T | Promise<T>,
): Promise<{ faults: readonly InvalidParam[]; meaning: T | null }> {
  try {
    return { faults: [], meaning: await work() }
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'request_invalid') {
      return { faults: error.extras.faults ?? [], meaning: null }
    }
    throw error
  }
}
