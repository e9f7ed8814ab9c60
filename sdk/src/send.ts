/** Sends a request, and retries it when that is safe and may help. */
import { setTimeout as wait } from 'node:timers/promises'
import { type HeadroomProblem, readProblem } from './problem.ts'

const WAIT_MS_MIN = 200
const WAIT_MS_MAX = 60_000

/**
 * Codes of requests that were not executed, or whose idempotency key prevents a second execution.
 */
const WORTH_REPEATING = ['rate_limited', 'timed_out', 'outcome_unknown', 'request_running']

/**
 * Makes up to `attempts_max` attempts and returns the successful response. Throws the last problem,
 * or the network's error. `repeatable` requests may be sent again after a lost response: reads, and
 * writes with an Idempotency-Key.
 */
export async function send(
  attempt: () => Promise<Response>,
  attempts_max: number,
  repeatable: boolean,
): Promise<Response> {
  for (let sent = 1; ; sent++) {
    const outcome = await tryOnce(attempt)
    if (outcome instanceof Response) return outcome
    if (sent >= attempts_max || !mayRetry(outcome, repeatable)) throw outcome
    await wait(pause(outcome, sent))
  }
}

async function tryOnce(attempt: () => Promise<Response>): Promise<Response | Error> {
  try {
    const response = await attempt()
    return response.ok ? response : await readProblem(response)
  } catch (error) {
    return error as Error
  }
}

function isProblem(error: Error): error is HeadroomProblem {
  return error.name === 'HeadroomProblem'
}

function mayRetry(error: Error, repeatable: boolean): boolean {
  if (isProblem(error)) {
    return error.status === 503 || (repeatable && WORTH_REPEATING.includes(error.code))
  }
  // fetch throws a TypeError for network failures; an abort by the caller is final.
  return repeatable && error instanceof TypeError
}

/** The delay the service asks for, otherwise exponential backoff; both with jitter. */
function pause(error: Error, sent: number): number {
  const retry_after_ms = isProblem(error) ? Number(error.headers.get('retry-after')) * 1000 : 0
  const own = WAIT_MS_MIN * 2 ** (sent - 1) * (0.5 + Math.random())
  return Math.min(
    retry_after_ms > 0 ? retry_after_ms + WAIT_MS_MIN * Math.random() : own,
    WAIT_MS_MAX,
  )
}
