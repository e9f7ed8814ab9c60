/** Expected refusals: thrown anywhere below a request, answered as RFC 9457 at its edge. */
import { type ProblemCode, problems } from '@headroom/contract'

export interface InvalidParam {
  name: string
  reason: string
}

export interface ProblemExtras {
  invalid_params?: InvalidParam[]
  /** Faults beyond those of `invalid_params`. */
  more_faults?: number
  /** All of them, for code that adds others. Never answered. */
  faults?: readonly InvalidParam[]
  /** The thing that stands in the way, e.g. the first loan of a salt. */
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

/** A problem of the closed list, to be thrown. Without `detail` the list's own meaning is told. */
export function problem(
  code: ProblemCode,
  detail: string = problems[code].meaning,
  extras: ProblemExtras = {},
): ProblemError {
  return new ProblemError(code, detail, extras)
}

const FAULTS_NAMED_MAX = 20
const NAME_LENGTH_MAX = 200

/** 422 with the first twenty faults named and the number of the others. */
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

/** A caller may name a field with a megabyte. */
function shortened(name: string): string {
  return name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}…` : name
}

/** What some work comes to, or the faults that it is refused for. Other errors are thrown. */
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
