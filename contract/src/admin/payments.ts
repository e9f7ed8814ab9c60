/** What the lender's people do about payments. */
import { z } from 'zod'
import { Id } from '../shared.ts'
import { adminTable, decides, Why } from './define.ts'

export const paymentWork = adminTable({
  sendRefundAgain: {
    ...decides,
    path: '/admin/payment/{payment_id}/send-again',
    summary: 'Send a refund once more that failed or came back',
    params: z.object({ payment_id: Id }),
    body: Why,
  },
})
