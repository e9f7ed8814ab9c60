/** An answer ready to send, and one replayed for a repeated request. */
import type { Readable } from 'node:stream'
import type { StoredAnswer } from './idempotency.ts'

export interface PreparedResponse {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  readonly body: unknown
  /** A file may be a stream, which cannot be stored for repeats. */
  readonly payload: string | Buffer | Readable | null
}

/**
 * Turns a handler's result into an answer. With checks enabled, throws if it violates the contract.
 */
export interface Renderer {
  render(returned: unknown): PreparedResponse
  /** The same, with pauses for other requests while the rows of its lists are written. */
  renderInPieces(returned: unknown): Promise<PreparedResponse>
}

/** Turns a stored answer into the answer of a repeated request, marked as replayed. */
export function replay({ status, json }: StoredAnswer): PreparedResponse {
  const headers = { 'idempotent-replayed': 'true' }
  return { status, headers, body: json === null ? null : JSON.parse(json), payload: json }
}
