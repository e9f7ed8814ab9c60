/**
 * Stores a registry's answer about a company, and publishes that there is one. An answer that
 * replaces none leaves the company waiting, unless its stored answer is fresh.
 */
import { publishFact } from '../../facts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type GivenAnswer, markUnavailable, type NumberOfCompany, putAnswer } from './store.ts'

export async function saveAnswer(
  tx: Tx,
  number: NumberOfCompany,
  answer: GivenAnswer,
): Promise<void> {
  if (!(await putAnswer(tx, number, answer))) return markUnavailable(tx, number.company_key)
  const company = answer.result === 'found' ? answer.company : null
  await publishFact(tx, 'company_answered', { company_key: number.company_key, company })
}
