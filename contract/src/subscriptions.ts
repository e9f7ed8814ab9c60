/** Subscriptions: the monthly fees of products that charge one. */
import { z } from 'zod'
import { machine, operations } from './define.ts'
import { DayAnswer, Id } from './shared.ts'

const SUBSCRIPTION_STATUSES = ['CREATED', 'ACTIVE'] as const

export const subscriptionMachine = machine({
  name: 'subscription',
  about: 'The monthly fee of a product that has one.',
  initial: 'CREATED',
  statuses: SUBSCRIPTION_STATUSES,
  transitions: [{ from: 'CREATED', trigger: 'activate', to: 'ACTIVE' }],
})

export const subscriptionOperations = operations({
  activateSubscription: {
    method: 'POST',
    path: '/subscription/{subscription_id}/activate',
    summary: 'Start the monthly fee of a subscription',
    description:
      'The first fee is that of the next month; each is debited on the third banking day. ' +
      'Activating again changes nothing. 400 when the borrower has no direct debit to collect by.',
    scope: 'borrowers:write',
    gated: true,
    success: 200,
    params: z.object({ subscription_id: Id }),
    answer: z
      .object({
        id: Id,
        borrower_id: Id,
        status: z.enum(SUBSCRIPTION_STATUSES),
        monthly_fee_cents: z.int(),
        activated_at: DayAnswer.nullable(),
      })
      .meta({ id: 'Subscription' }),
    problems: ['direct_debit_missing'],
  },
})
