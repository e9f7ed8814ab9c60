/** Detects clients that disconnect before their answer, so that no more is read for them. */
import { IncomingMessage } from 'node:http'
import type { Method } from '@headroom/contract'
import type { FastifyRequest } from 'fastify'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { requester, withRequester } from '../../platform/kit/requester.ts'

/**
 * Runs work with a signal that aborts, with `body_malformed`, when the client disconnects. A
 * request that the service sends to itself uses the signal of the request that caused it, if any.
 */
export async function whileConnected<T>(
  { raw }: FastifyRequest,
  work: (signal: AbortSignal | null) => Promise<T>,
): Promise<T> {
  if (!(raw instanceof IncomingMessage)) return work(requester()?.signal ?? null)
  const { socket } = raw
  const controller = new AbortController()
  const abort = () => controller.abort(disconnected())
  if (socket.destroyed) abort()
  socket.once('close', abort)
  try {
    return await work(controller.signal)
  } finally {
    socket.off('close', abort)
  }
}

/**
 * Runs the work of a request, in the turns of `owner`. A read is given up when the client
 * disconnects. A read under a decision is not, because the decision keeps the outcome of everything
 * tried under it.
 */
export function forClient<T>(
  request: FastifyRequest,
  method: Method,
  owner: string,
  work: () => Promise<T>,
): Promise<T> {
  const only_reads = method === 'GET' && request.decision_id === null
  return whileConnected(request, signal => withRequester(owner, only_reads ? signal : null, work))
}

/** It is only logged, since the client no longer reads: its request ended before its answer. */
export function disconnected(): ProblemError {
  return problem('body_malformed', 'The client closed the connection.')
}
