/** Detects clients that disconnect before their answer, so that no more is read for them. */
import { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { requester } from '../../platform/kit/requester.ts'

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

export function disconnected(): ProblemError {
  return problem('header_invalid', 'The connection was closed.')
}
