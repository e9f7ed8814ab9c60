/** Renders and issues the amended agreement of a loan that a plan repays. */
import type { Context } from '../../../context.ts'
import { drawPdf } from '../../../integrations/documents/index.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import { transaction } from '../../../platform/db/transaction.ts'
import { readLoans } from '../queries.ts'
import { lockLoans } from '../store.ts'
import { type Amendment, draftContract, issueContract } from './write-contract.ts'

export type { Amendment } from './write-contract.ts'

/**
 * Replaces the loan's agreement with the amended one and mails it, provided that `plan_id` still
 * settles the loan. The PDF is rendered between two transactions, so that no lock is held
 * meanwhile.
 */
export async function amendContract(
  { database }: Context,
  plan_id: string,
  key: RowKey,
  amendment: Amendment,
): Promise<void> {
  const all = { partners: '*', actor: 'service' } as const
  const draft = await transaction(database, { ...all, read_only: true }, async tx => {
    const [loan] = await readLoans(tx, [key])
    return loan?.installment_plan_id === plan_id ? draftContract(tx, loan, amendment) : null
  })
  if (!draft) return
  const content = await drawPdf(draft.document.partner_id, draft.paper)
  await transaction(database, all, async tx => {
    const [loan] = await lockLoans(tx, [draft.key])
    if (loan?.installment_plan_id !== plan_id) return
    await issueContract(tx, loan, draft, content)
  })
}
