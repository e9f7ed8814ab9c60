/** Detects clients that disconnect before their answer, so that no more is read for them. */
import { IncomingMessage } from 'node:http'
import type { Method } from '@headroom/contract'
import type { FastifyRequest } from 'fastify'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { type Asker, requester, withRequester } from '../../platform/kit/requester.ts'

/**
 * Runs work with a signal that aborts, with `header_invalid`, when the client disconnects. A
 * request that the service sends to itself uses the signal of the request that caused it, if any.
 */
export async function whileConnected<T>(
  { raw }: FastifyRequest,
  work: (left: AbortSignal | null) => Promise<T>,
): Promise<T> {
  if (!(raw instanceof IncomingMessage)) return work(requester()?.left ?? null)
  const { socket } = raw
  const left = new AbortController()
  const leave = () => left.abort(disconnected())
  if (socket.destroyed) leave()
  socket.once('close', leave)
  try {
    return await work(left.signal)
  } finally {
    socket.off('close', leave)
  }
}

/**
 * Runs the work of a request, in the turns of `asker`. A read is given up when the client
 * disconnects. A read under a decision is not, because the decision keeps the outcome of everything
 * tried under it.
 */
export function forClient<T>(
  request: FastifyRequest,
  method: Method,
  asker: Asker,
  work: () => Promise<T>,
): Promise<T> {
  const only_reads = method === 'GET' && request.decision_id === null
  return whileConnected(request, left => withRequester(asker, only_reads ? left : null, work))
}

export function disconnected(): ProblemError {
  return problem('header_invalid', 'The connection was closed.')
}
