/** Checks the stored payer of fees against `feesPayerOf`. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Finding } from '../../platform/ledger/index.ts'
import { feesPayerOf } from './rules.ts'

interface StoredTermsRow {
  of: string
  repayment_handled_by: string
  fees_mode: string
  fees_payer: string
}

export async function verifyPartnerTerms(tx: Tx): Promise<Finding[]> {
  const kept = await tx.all(sql<StoredTermsRow>`
    select product_type as of, repayment_handled_by, fees_mode, fees_payer from products
    union all select p.product_type || ' of partner ' || s.partner_id, s.repayment_handled_by,
      s.fees_mode, s.fees_payer
    from partner_products s join products p on p.id = s.product_id`)
  return kept
    .filter(terms => terms.fees_payer !== feesPayerOf(terms))
    .map(({ of, fees_payer }) => ({
      check: 'fees_payer',
      detail: `${of} has fees paid by ${fees_payer}, its terms say otherwise`,
    }))
}
