/** What a company's limit would be, told by the register alone. */
import type { Tx } from '../db/transaction.ts'
import type { Company } from '../ports/registry.ts'
import { scorecardInForce } from './inputs.ts'
import { assess, companyFigures } from './scorecard.ts'

/** Cents. Nothing is promised: data that a partner shares may set another limit. */
export async function estimatedLimit(tx: Tx, company: Company): Promise<bigint> {
  const { rules } = await scorecardInForce(tx)
  return assess(rules, companyFigures(company, tx.today)).pool_amount
}
