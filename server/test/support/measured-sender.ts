/** Sends requests and measures how long they block the server's thread. */
import type { TestApp } from './app.ts'
import { startSender } from './other-thread.ts'

/**
 * The most CPU time for which requests may block the server's thread. It exceeds the service's goal
 * of 50 ms, because shared cores are slower and the first run includes compilation. Without the
 * service's limits the tested requests would take far longer.
 */
export const DELAY_MS_MAX = 150
export const ATTEMPTS_MAX = 4

interface Sent {
  readonly method?: 'POST' | 'GET'
  readonly key?: string | null
  readonly body?: string | Uint8Array
  readonly headers?: Record<string, string>
  /** How long the requests may block, in milliseconds of CPU time; default `DELAY_MS_MAX`. */
  readonly held_up_ms_max?: number
}

/** Starts a thread that sends requests. `send` returns the answers and how long they blocked. */
export function measuredSender(appOf: () => TestApp) {
  const sender = startSender()
  const send = (path: string, sent: Sent, times = 1) =>
    sendMeasured(sender, appOf(), path, sent, times)
  return { sender, send }
}

/**
 * Sends the same request `times` times concurrently. Tries again if the server's thread is blocked
 * for too long, because only the cost of the requests themselves recurs in every attempt.
 */
async function sendMeasured(
  sender: ReturnType<typeof startSender>,
  app: TestApp,
  path: string,
  sent: Sent,
  times: number,
) {
  const { method = 'POST', key = app.key, body, headers = {} } = sent
  const { held_up_ms_max = DELAY_MS_MAX } = sent
  const one = {
    url: `${app.base_url}${path}`,
    method,
    ...(body !== undefined && { body }),
    headers: {
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
  }
  let held_up_ms = Number.POSITIVE_INFINITY
  for (let attempt = 1; ; attempt++) {
    const { answers, ...took } = await sender.send(...Array<typeof one>(times).fill(one))
    held_up_ms = Math.min(held_up_ms, took.held_up_ms)
    if (held_up_ms > held_up_ms_max && attempt < ATTEMPTS_MAX) continue
    const [{ status, json, headers: result }] = answers as [(typeof answers)[0]]
    return { status, json, headers: result, answers, held_up_ms }
  }
}
