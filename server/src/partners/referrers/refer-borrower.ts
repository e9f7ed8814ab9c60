/** Records the referrer of a new borrower. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { insertReferral } from './store.ts'

/**
 * Records the referrer of the first known code among those of the borrower's onboarding, of its
 * duplicate sessions (newest first), and `referral_code` in the borrower's metadata. Does nothing
 * without a known code.
 */
export async function referBorrower(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const found = await tx.maybe(sql<{ referrer_id: string }>`
    with told as (
      select o.referral as code, o.status <> 'CREATED' as older, o.id from onboardings o
        where o.partner_id = ${partner_id} and o.borrower_id = ${borrower_id}
          and o.status in ('CREATED', 'DUPLICATE')
      union all
      select b.metadata ->> 'referral_code', true, null from borrowers b
        where b.partner_id = ${partner_id} and b.id = ${borrower_id}
    )
    select c.referrer_id from told
    join referral_codes c on c.partner_id = ${partner_id} and c.code = told.code
    order by told.older, told.id desc nulls last limit 1`)
  if (!found) return
  const { referrer_id } = found
  await insertReferral(tx, { borrower_id, partner_id, referrer_id, referred_at: tx.now })
}
