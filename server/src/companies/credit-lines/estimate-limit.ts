/** What a company's limit would be, told by the register alone. */
import type { Company } from '../../outside/ports/registry.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { scorecardInForce } from './inputs.ts'
import { assess, companyFigures } from './scorecard.ts'

/** Cents. Nothing is promised: data that a partner shares may set another limit. */
export async function estimatedLimit(tx: Tx, company: Company): Promise<bigint> {
  const { rules } = await scorecardInForce(tx)
  return assess(rules, companyFigures(company, tx.today)).pool_amount
}
