/** Releases a bill that could not be mailed, at an operator's request. */
import { sql } from 'kysely'
import { recordAudit } from '../../../platform/access/index.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { ofEachPartner, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { partnersThatSend } from '../parties.ts'
import { type BillRow, lockBills } from '../store.ts'
import { postponeDueDates } from './due-day.ts'
import { makeDue } from './send-bills.ts'

/**
 * Makes the bill due as if it were sent today, and debits it if its payer repays by debit. `reason`
 * says how the payer was informed. The bill does not count as mailed. Throws `resource_unknown`, or
 * `state_conflict` if the bill is not VALIDATED or its partner sends the bills itself.
 */
export async function releaseBill(tx: Tx, bill_id: string, reason: string): Promise<void> {
  const known = await tx.maybe(sql<RowKey>`
    select partner_id, id from bills where ${ofEachPartner('bills')} and id = ${bill_id}`)
  if (!known) throw problem('resource_unknown', `There is no bill ${bill_id}.`)
  const [bill] = (await lockBills(tx, [known])) as [BillRow]
  const { status, partner_id } = bill
  if (status !== 'VALIDATED') {
    throw problem('state_conflict', `The bill is ${status}: only a VALIDATED bill is released.`)
  }
  if ((await partnersThatSend(tx, [partner_id])).size > 0) {
    throw problem('state_conflict', 'The partner sends its bills itself, and says when it has.')
  }
  const [due] = (await postponeDueDates(tx, [bill], 'sent')) as [BillRow]
  await makeDue(tx, [due])
  await clearAlert(tx, 'bill_unsent', bill_id)
  const what = { resource: 'bill', resource_id: bill_id, partner_id }
  await recordAudit(tx, { act: 'release', reason, ...what })
  // The bill's PDF shows the old due date.
  if (due.due_on !== bill.due_on) enqueue(tx, 'redraw_bill', { partner_id, bill_id })
}
