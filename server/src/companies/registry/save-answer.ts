/** Stores a registry's answer about a company, and publishes that there is one. */
import { publishFact } from '../../facts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type GivenAnswer, type NumberOfCompany, putAnswer } from './store.ts'

export async function saveAnswer(
  tx: Tx,
  number: NumberOfCompany,
  answer: GivenAnswer,
): Promise<void> {
  await putAnswer(tx, number, answer)
  const company = answer.result === 'found' ? answer.company : null
  await publishFact(tx, 'company_answered', { company_key: number.company_key, company })
}
