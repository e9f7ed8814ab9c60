/** Estimates a company's limit from registry data alone. */
import type { Company } from '../../integrations/ports/registry.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { scorecardInForce } from './inputs.ts'
import { assess, companyFigures } from './scorecard.ts'

/**
 * The limit in cents that the scorecard in force gives on registry data. The estimate is not
 * binding, because data that a partner shares may change the limit.
 */
export async function estimatedLimit(tx: Tx, company: Company): Promise<bigint> {
  const { rules } = await scorecardInForce(tx)
  return assess(rules, companyFigures(company, tx.today)).pool_amount
}
