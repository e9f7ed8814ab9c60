/** Asks the registry about a company, and stores its answer. */
import type { Context } from '../../context.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { readAnswer } from './queries.ts'
import { saveAnswer } from './save-answer.ts'
import { markUnavailable } from './store.ts'

/** Without an answer, the company waits for a later look-up or for operators. */
export async function lookUpCompany(
  { database, ports: { registry } }: Context,
  company_key: string,
): Promise<void> {
  // A registry inside the process is asked while the request waits.
  if (registry.answers_at_once) return
  const number = await transaction(database, { partners: '*', read_only: true }, async tx => {
    const stored = await readAnswer(tx, company_key)
    return stored && (stored.fresh_until ?? '') < tx.today ? stored : null
  })
  // None, or somebody has entered it meanwhile.
  if (!number) return
  const answer = await registry.find({ ...number, partner_id: LENDER_ID })
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    answer.result === 'unavailable'
      ? markUnavailable(tx, company_key)
      : saveAnswer(tx, number, answer),
  )
}
