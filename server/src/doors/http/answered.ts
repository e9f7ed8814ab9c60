/** An answer on its way out, and one that is given again. */
import type { Readable } from 'node:stream'
import type { Kept } from './idempotency.ts'

/** An answer that is ready to be sent. */
export interface Answered {
  readonly status: number
  readonly headers: Record<string, string | string[]>
  /** What the handler answered, before it was made text. */
  readonly body: unknown
  /** A file may be a stream: then it is not kept for repeats. */
  readonly payload: string | Buffer | Readable | null
}

/** Makes an answer of what a handler returned; throws when it is not what the contract says. */
export type Render = (returned: unknown) => Answered

/** The answer that was kept for an earlier request. */
export function replay({ status, json }: Kept): Answered {
  const headers = { 'idempotent-replayed': 'true' }
  return { status, headers, body: json === null ? null : JSON.parse(json), payload: json }
}
