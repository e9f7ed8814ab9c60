/** Who is calling: a named caller of a partner, acting through one of its keys. */
import type { Scope } from '@headroom/contract'

export interface Caller {
  readonly caller_id: string
  readonly partner_id: string
  /** Null for a person who signed in. */
  readonly key_id: string | null
  /** An agent may write only what a person approved. */
  readonly actor: 'human' | 'agent'
  readonly scopes: ReadonlySet<Scope>
  readonly version: '2026-07' | '2023-09'
  /** Set when a borrower calls by its access token: it sees what is its own only. */
  readonly borrower_id: string | null
}

/** Who calls an operation that asks for no key. */
export const NOBODY: Caller = {
  caller_id: '00000000-0000-0000-0000-000000000000',
  partner_id: '00000000-0000-0000-0000-000000000000',
  key_id: '00000000-0000-0000-0000-000000000000',
  actor: 'human',
  scopes: new Set(),
  version: '2026-07',
  borrower_id: null,
}
