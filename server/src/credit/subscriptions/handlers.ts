/** The handler of the operation on subscriptions. */
import type { Handler } from '../../context.ts'
import { activateSubscription as activate } from './activate-subscription.ts'

const activateSubscription: Handler<'activateSubscription'> = async (tx, { params, caller }) =>
  activate(tx, caller.partner_id, params.subscription_id)

export const subscriptionHandlers = { activateSubscription }
