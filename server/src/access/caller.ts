/** Who is calling: a named caller of a partner, acting through one of its keys. */
import type { Scope } from '@headroom/contract'

export interface Caller {
  readonly caller_id: string
  readonly partner_id: string
  readonly key_id: string
  /** An agent may write only what a person approved. */
  readonly actor: 'human' | 'agent'
  readonly scopes: ReadonlySet<Scope>
  readonly version: '2026-07' | '2023-09'
}
