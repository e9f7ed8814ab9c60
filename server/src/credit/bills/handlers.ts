/** The operations on bills. */
import type { Inspected } from '../../context.ts'
import { readAs } from '../../platform/db/transaction.ts'
import { noteBillSent as noteSent, sentFaults } from './month-end/bill-sent.ts'
import { listBills } from './queries.ts'
import { findBill } from './store.ts'

const noteBillSent: Inspected<'noteBillSent'> = {
  inspect: (context, { params, body, caller: { partner_id } }) =>
    readAs(context, partner_id, async tx => {
      const { bill_id } = params
      const bill = bill_id ? await findBill(tx, partner_id, bill_id) : undefined
      return sentFaults(tx, body.sent_on, bill)
    }),
  handle: noteSent,
}

export const billHandlers = { listBills, noteBillSent }
