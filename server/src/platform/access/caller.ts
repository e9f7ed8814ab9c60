/** The caller of an operation: a named caller of a partner, usually acting through a key. */
import type { Scope } from '@headroom/contract'

export interface Caller {
  readonly caller_id: string
  readonly partner_id: string
  /** Null for an operator with a session. */
  readonly key_id: string | null
  /** An agent's writes require a human's approval. */
  readonly actor: 'human' | 'agent'
  readonly scopes: ReadonlySet<Scope>
  readonly version: '2026-07' | '2023-09'
  /** Set when a borrower calls with an access token, which reaches only that borrower's data. */
  readonly borrower_id: string | null
}

/** The id of neither a partner nor the lender, so that no rows are visible. */
const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const ANONYMOUS: Caller = {
  caller_id: NOBODY,
  partner_id: NOBODY,
  key_id: NOBODY,
  actor: 'human',
  scopes: new Set(),
  version: '2026-07',
  borrower_id: null,
}
