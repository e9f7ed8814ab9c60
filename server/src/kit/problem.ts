/** Expected refusals: thrown anywhere below a request, answered as RFC 9457 at its edge. */
import { type ProblemCode, problems } from '@headroom/contract'

export interface InvalidParam {
  name: string
  reason: string
}

export interface ProblemExtras {
  invalid_params?: InvalidParam[]
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

/** 422 with every fault named. */
export function invalid(...invalid_params: InvalidParam[]): ProblemError {
  const detail = invalid_params.map(p => `${p.name}: ${p.reason}`).join('; ')
  return problem('request_invalid', detail, { invalid_params })
}

/** The faults that some work is refused for; none when it succeeds. Other errors are thrown. */
export async function faultsIn(work: () => unknown): Promise<readonly InvalidParam[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'request_invalid') {
      return error.extras.invalid_params ?? []
    }
    throw error
  }
}
