/** Reads a company's segment by turnover. */
import type { Answer } from '@headroom/contract'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { findBorrower } from '../borrowers/index.ts'
import { readSharedFigures } from '../business-data/index.ts'
import { scorecardInForce } from './inputs.ts'
import { segmentOf } from './scorecard.ts'

/** Returns a company's segment; `business_id` is a borrower's id. Throws `resource_unknown`. */
export async function readSegment(
  tx: Tx,
  partner_id: string,
  business_id: string,
): Promise<Answer<'getBusinessSegment'>> {
  const borrower = await findBorrower(tx, partner_id, business_id)
  if (!borrower) throw problem('resource_unknown')
  const { rules } = await scorecardInForce(tx)
  const figures = await readSharedFigures(tx, [borrower], rules)
  return {
    business_id,
    business_identifier: {
      identifier: borrower.identifier,
      identifier_type: borrower.identifier_type as 'siren',
    },
    defacto_segment: segmentOf(rules, figures.get(borrower.id)!.turnover_monthly),
  }
}
