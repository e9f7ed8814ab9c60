/** Handlers of the operations on webhooks. */
import type { CheckedHandler, Handlers } from '../../context.ts'
import { viewPage } from '../../platform/db/page.ts'
import { createWebhook, subscriptionFaults } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { readFeed } from './feed.ts'
import * as queries from './queries.ts'
import { retryDelivery } from './retry-delivery.ts'
import { rotateSecret } from './rotate-secret.ts'
import { testWebhook } from './test-webhook.ts'
import { updateWebhook } from './update-webhook.ts'

const creating: CheckedHandler<'createWebhook'> = {
  check: (tx, { body }) => ({ faults: subscriptionFaults(tx.settings, body) }),
  handle: (tx, call) => createWebhook(tx, call.caller, call.body),
}

const updating: CheckedHandler<'updateWebhook'> = {
  check: (tx, { body }) => ({ faults: subscriptionFaults(tx.settings, body) }),
  handle: (tx, call) => updateWebhook(tx, call.caller, call.params.webhook_id, call.body),
}

export const webhookHandlers = {
  createWebhook: creating,

  async listWebhooks(tx, { caller, path, query }) {
    const page = await queries.pageOfWebhooks(tx, caller.partner_id, { path, ...query })
    return viewPage(page, queries.webhookView)
  },

  updateWebhook: updating,

  async deleteWebhook(tx, call) {
    await deleteWebhook(tx, call.caller, call.params.webhook_id)
    return null
  },

  testWebhook: (tx, call) => testWebhook(tx, call.caller, call.params.webhook_id),

  rotateWebhookSecret: (tx, call) => rotateSecret(tx, call.caller, call.params.webhook_id),

  async listWebhookDeliveries(tx, { caller, params, path, query }) {
    const webhook = await queries.readWebhook(tx, caller.partner_id, params.webhook_id)
    const page = await queries.pageOfDeliveries(tx, webhook, query.status, { path, ...query })
    return viewPage(page, queries.deliveryView)
  },

  retryWebhookDelivery(tx, { caller, params }) {
    return retryDelivery(tx, caller, params.webhook_id, params.delivery_id)
  },

  listWebhookEvents(tx, { caller, path, query }) {
    return readFeed(tx, caller.partner_id, query.type, { path, ...query })
  },
} satisfies Partial<Handlers>
