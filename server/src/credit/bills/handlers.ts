/** Handlers of the operations on bills. */
import type { CheckedHandler } from '../../context.ts'
import { problem } from '../../platform/kit/problem.ts'
import { checkSent, noteBillSent as noteSent } from './month-end/bill-sent.ts'
import { listBills } from './queries.ts'
import { type BillRow, findBill } from './store.ts'

const noteBillSent: CheckedHandler<'noteBillSent', BillRow | undefined> = {
  check: async (tx, { params: { bill_id }, body, caller }) => {
    const bill = bill_id ? await findBill(tx, caller.partner_id, bill_id) : undefined
    return checkSent(tx, body.sent_on, bill)
  },
  handle: async (tx, { body, meaning: bill }) => {
    if (!bill) throw problem('resource_unknown', 'There is no such bill.')
    await noteSent(tx, bill, body)
    return null
  },
}

export const billHandlers = { listBills, noteBillSent }
