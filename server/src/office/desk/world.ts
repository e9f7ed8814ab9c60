/** Whose world somebody looks at. */
import type { SignedIn } from '../../platform/access/index.ts'
import type { Scope } from '../../platform/db/turns.ts'
import { problem } from '../../platform/kit/problem.ts'

/** The partner that statements name, null for all of them, and what a transaction sees. */
export interface World extends Pick<Scope, 'partners'> {
  readonly partner_id: string | null
}

/**
 * The partner that was asked for, or all; people of a partner see their own alone. Throws
 * `resource_unknown`: what is another's does not exist for them.
 */
export function worldOf(
  { partner_id: own }: Pick<SignedIn, 'partner_id'>,
  { partner_id: asked }: { readonly partner_id?: string | undefined } = {},
): World {
  if (own !== null && asked !== undefined && asked !== own) throw problem('resource_unknown')
  const partner_id = own ?? asked ?? null
  return { partner_id, partners: partner_id === null ? '*' : [partner_id] }
}
