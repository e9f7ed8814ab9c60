/**
 * Aborts reads whose answer is no longer needed, because the client has disconnected or received a
 * 504.
 */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Method } from '@headroom/contract'
import type { FastifyRequest } from 'fastify'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { requester, withRequester } from '../../platform/kit/requester.ts'
import { withTimeout } from './timeout.ts'

/**
 * Runs work and aborts the controller, with `body_malformed`, when the client disconnects. For a
 * request that the service sends to itself, aborts it together with the request that caused it.
 */
export async function whileConnected<T>(
  { raw }: FastifyRequest,
  work: (over: AbortController) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const stop =
    raw instanceof IncomingMessage ? abortOnClose(raw.socket, over) : abortWithCause(over)
  try {
    return await work(over)
  } finally {
    stop()
  }
}

function abortOnClose(socket: Socket, over: AbortController): () => void {
  const abort = () => over.abort(disconnected())
  if (socket.destroyed) abort()
  socket.once('close', abort)
  return () => socket.off('close', abort)
}

function abortWithCause(over: AbortController): () => void {
  const signal = requester()?.left
  const abort = () => over.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return () => signal?.removeEventListener('abort', abort)
}

export interface Service {
  readonly method: Method
  readonly owner: string
  /** After this time the request is answered with 504; null means no limit. */
  readonly answer_ms_max: number | null
}

/**
 * Runs the work of a request. A read is aborted when the client disconnects or has received a 504.
 * A write continues, and so does a read under a decision, because the decision records the outcome
 * of every attempt. Once such work is late, it is dropped only while it still waits for a turn;
 * `Requester.left` aborts costly work that has not changed anything yet.
 */
export function forClient<T>(
  request: FastifyRequest,
  { method, owner, answer_ms_max }: Service,
  work: () => Promise<T>,
): Promise<T> {
  const only_reads = method === 'GET' && request.decision_id === null
  const late = new AbortController()
  return whileConnected(request, over => {
    const signal = only_reads ? over.signal : null
    const signals = { late: late.signal, left: over.signal }
    const working = withRequester(owner, signal, work, signals)
    if (answer_ms_max === null) return working
    return withTimeout(working, answer_ms_max, () => {
      const timed_out = problem('timed_out')
      late.abort(timed_out)
      over.abort(timed_out)
      return timed_out
    })
  })
}

/** Only logged: the client has disconnected and cannot read it. */
export function disconnected(): ProblemError {
  return problem('body_malformed', 'The client closed the connection.')
}
