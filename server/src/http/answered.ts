/** An answer on its way out, and one that is given again. */
import type { Kept } from './idempotency.ts'

/** An answer that is ready to be sent. */
export interface Answered {
  readonly status: number
  readonly headers: Record<string, string>
  /** What the handler answered, before it was made text. */
  readonly body: unknown
  readonly payload: string | Buffer | null
}

/** Makes an answer of what a handler returned; throws when it is not what the contract says. */
export type Render = (returned: unknown) => Answered

/** What was answered before, once more. */
export function replay({ status, json }: Kept): Answered {
  const headers = { 'idempotent-replayed': 'true' }
  return { status, headers, body: json === null ? null : JSON.parse(json), payload: json }
}
