/** Notes who brought a new borrower. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { insertReferral } from './store.ts'

/**
 * The code is that of the onboarding which the borrower came from, or `referral_code` in the
 * borrower's metadata. A code of no referrer of the partner means nothing.
 */
export async function referBorrower(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const found = await tx.maybe(sql<{ referrer_id: string }>`
    with told as (
      select o.referral as code, 1 as rank from onboardings o
        where o.borrower_id = ${borrower_id} and o.status = 'CREATED'
      union all
      select b.metadata ->> 'referral_code', 2 from borrowers b where b.id = ${borrower_id}
    )
    select c.referrer_id from told
    join referral_codes c on c.partner_id = ${partner_id} and c.code = told.code
    order by told.rank limit 1`)
  if (!found) return
  const { referrer_id } = found
  await insertReferral(tx, { borrower_id, partner_id, referrer_id, referred_at: tx.now })
}
