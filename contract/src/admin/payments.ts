/** Operators' actions on payments and bills. */
import { z } from 'zod'
import { Id } from '../shared.ts'
import { adminTable, ReasonBody, reviewerDecision } from './define.ts'

export const paymentWork = adminTable({
  sendRefundAgain: {
    ...reviewerDecision,
    path: '/admin/payment/{payment_id}/send-again',
    summary: 'Send a failed or returned refund again',
    params: z.object({ payment_id: Id }),
    body: ReasonBody,
  },
  releaseBill: {
    ...reviewerDecision,
    path: '/admin/bill/{bill_id}/release',
    summary: 'Release a bill that could not be mailed',
    description:
      'For a borrower without an e-mail address whose partner has none either. The bill stays ' +
      '`VALIDATED`, neither due nor debited, until you have told the payer another way and ' +
      'release it. `reason` says how the payer was told.',
    params: z.object({ bill_id: Id }),
    body: ReasonBody,
  },
})
