/** Which partners' data a request covers. */
import type { SignedIn } from '../../platform/access/index.ts'
import type { Scope } from '../../platform/db/turns.ts'
import { problem } from '../../platform/kit/problem.ts'

/** The partner to filter by, null for all, and the transaction's scope. */
export interface PartnerScope extends Pick<Scope, 'partners'> {
  readonly partner_id: string | null
}

/**
 * The requested partner, or all; partner users are limited to their own. Throws `resource_unknown`
 * for another partner, whose data does not exist for them.
 */
export function partnerScopeOf(
  { partner_id: own }: Pick<SignedIn, 'partner_id'>,
  { partner_id: requested }: { readonly partner_id?: string | undefined } = {},
): PartnerScope {
  if (own !== null && requested !== undefined && requested !== own)
    throw problem('resource_unknown')
  const partner_id = own ?? requested ?? null
  return { partner_id, partners: partner_id === null ? '*' : [partner_id] }
}
