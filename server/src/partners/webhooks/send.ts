/**
 * Makes one POST to a receiver, limited in time and size, without redirects or access to networks
 * that the policy forbids.
 */
import { constants } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { DEFAULT_CIPHERS } from 'node:tls'
import { limitReceived, TooMuchReceived } from './limit-received.ts'
import type { Resolve } from './resolve-name.ts'
import { type Attempt, classifyStatus, explainStatus } from './rules.ts'
import { guardedLookup, type TargetPolicy, TargetRefused, targetFault } from './target.ts'

export interface SendOptions {
  readonly policy: TargetPolicy
  /** From the name lookup to the last byte. */
  readonly timeout_ms: number
  /** Replaces the machine's name lookup. */
  readonly resolve?: Resolve | undefined
}

/** One attempt, as handed to the sending thread. */
export interface Post extends Omit<SendOptions, 'resolve'> {
  readonly to_url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** How many interim responses (1xx) a receiver may send; each costs as much as a response. */
const INTERIM_MAX = 8
/**
 * Excludes what a receiver could make us compute without limit: finite-field Diffie-Hellman, whose
 * size it chooses, and further handshakes on a connection.
 */
const TLS = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}

/** Posts and returns the result; never throws for failures of the receiver or network. */
export async function send(
  to_url: string,
  headers: Record<string, string>,
  body: string,
  options: SendOptions,
): Promise<Attempt> {
  const attempted_at = new Date().toISOString()
  const started = performance.now()
  let status: number | null = null
  let retry_after: string | null = null
  let error: string | null = null
  try {
    const fault = targetFault(to_url, options.policy)
    if (fault) throw new TargetRefused(`the address ${fault}`)
    const answer = await post(to_url, headers, body, options)
    status = answer.status
    retry_after = answer.retry_after
    if (classifyStatus(status) !== 'delivered') error = explainStatus(status)
  } catch (failure) {
    error = explainFailure(failure, options.timeout_ms)
  }
  const duration_ms = Math.round(performance.now() - started)
  return { attempted_at, response_status: status, duration_ms, error, retry_after }
}

interface Answer {
  status: number
  retry_after: string | null
}

function post(
  to_url: string,
  headers: Record<string, string>,
  body: string,
  options: SendOptions,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const signal = AbortSignal.timeout(options.timeout_ms)
  const request = to_url.startsWith('https:') ? httpsRequest : httpRequest
  const sending = request(to_url, {
    method: 'POST',
    headers,
    // A fresh agent: no shared sockets, no proxy from the environment.
    agent: false,
    lookup: guardedLookup(options.policy, signal, options.resolve),
    signal,
    ...TLS,
  })
  let answer: Answer | null = null
  // The status is the result, even if the body is cut short.
  const end = (failure: unknown) => (answer ? resolve(answer) : reject(failure))
  sending.on('error', end)
  // Not every closed connection raises an error, so settle in any case and free the slot.
  sending.on('close', () => end(new Error('closed without an answer')))
  signal.addEventListener('abort', () => end(signal.reason))
  sending.on('socket', limitReceived)
  let interim = 0
  sending.on('information', () => {
    if (++interim > INTERIM_MAX) sending.destroy(new TooMuchReceived())
  })
  // A 101 response would switch to another protocol.
  sending.on('upgrade', ({ statusCode = 101 }, socket) => {
    socket.destroy()
    resolve({ status: statusCode, retry_after: null })
  })
  sending.on('response', response => {
    const { statusCode = 0, headers } = response
    const arrived = { status: statusCode, retry_after: headers['retry-after'] ?? null }
    answer = arrived
    // The body is read and discarded, so that the receiver can finish sending.
    response.resume()
    response.on('error', () => {})
    response.on('close', () => resolve(arrived))
  })
  sending.end(body)
  return promise
}

/** Explains a failure to the partner without revealing resolved IP addresses. */
function explainFailure(failure: unknown, timeout_ms: number): string {
  if (failure instanceof TargetRefused || failure instanceof TooMuchReceived) return failure.message
  const { name, code } = failure as { name?: string; code?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${timeout_ms} ms`
  return `could not be reached: ${code ?? name ?? 'unknown'}`
}
