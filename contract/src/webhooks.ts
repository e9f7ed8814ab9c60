/** Webhooks: subscriptions, their deliveries, and the feed of the underlying events. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { EVENT_NAMES, EVENT_NAMES_2023 } from './event-names.ts'
import { Id, limited, Moment, NoContent, page, pageQuery, repeatable, text } from './shared.ts'

export const WEBHOOK_STATUSES = ['ACTIVE', 'DISABLED'] as const
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const

/** A webhook is disabled by its owner, or by a 410 response from the receiver. */
export const webhookMachine = machine({
  name: 'webhook',
  about: 'A subscription to events.',
  initial: 'ACTIVE',
  statuses: WEBHOOK_STATUSES,
  transitions: [
    { from: 'ACTIVE', trigger: 'disable', to: 'DISABLED' },
    { from: 'DISABLED', trigger: 'enable', to: 'ACTIVE' },
  ],
})

/** FAILED once no attempt is left, the receiver answers 410, or the webhook is deleted. */
export const deliveryMachine = machine({
  name: 'delivery',
  about: 'The delivery of one event to one subscription.',
  initial: 'PENDING',
  statuses: DELIVERY_STATUSES,
  transitions: [
    { from: 'PENDING', trigger: 'deliver', to: 'DELIVERED' },
    { from: 'PENDING', trigger: 'give_up', to: 'FAILED' },
    { from: 'DELIVERED', trigger: 'retry', to: 'PENDING' },
    { from: 'FAILED', trigger: 'retry', to: 'PENDING' },
  ],
})

const EventName = z.enum(EVENT_NAMES)
/** For answers: every key can see subscriptions made with version 2023-09. */
export const WebhookEventType = z.enum(EVENT_NAMES_2023).meta({ id: 'WebhookEventType' })
export type WebhookEventType = z.infer<typeof WebhookEventType>

const webhookFields = {
  id: Id,
  name: z.string(),
  to_url: z.string(),
  event_types: z.array(WebhookEventType).min(1),
  status: z.enum(WEBHOOK_STATUSES),
  disabled_reason: z.string().nullable(),
  created_at: Moment,
}

export const Webhook = z.object(webhookFields).meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

/** The signing secret is only returned on creation and rotation. */
export const WebhookWithSecret = z
  .object({ ...webhookFields, secret: z.string() })
  .meta({ id: 'WebhookWithSecret' })
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

export const WebhookDelivery = z
  .object({
    id: Id,
    webhook_id: Id,
    event_id: Id,
    event_type: WebhookEventType,
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(
      z.object({
        attempted_at: Moment,
        response_status: z.int().nullable(),
        duration_ms: z.int().nullable(),
        error: z.string().nullable(),
      }),
    ),
    next_attempt_at: Moment.nullable(),
    created_at: Moment,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

/** An event in the feed: the content of a webhook's body, plus its id. */
export const WebhookEvent = z
  .object({ id: Id, type: WebhookEventType, timestamp: Moment, data: z.unknown() })
  .meta({ id: 'WebhookEvent' })
export type WebhookEvent = z.infer<typeof WebhookEvent>

function bodies(eventName: z.ZodType<WebhookEventType>) {
  const eventTypes = z.array(eventName).min(1).max(EVENT_NAMES_2023.length)
  const url = limited(2048, z.url({ protocol: /^https?$/, error: 'is not an http(s) address' }))
  const create = z.strictObject({ name: text(200), to_url: url, event_types: eventTypes })
  const update = create.partial().extend({ status: z.enum(WEBHOOK_STATUSES).optional() })
  return { create, update }
}

const now = bodies(EventName)
const in2023 = bodies(WebhookEventType)

const WebhookParams = z.object({ webhook_id: Id })
const DeliveryParams = z.object({ webhook_id: Id, delivery_id: Id })

export const webhookOperations = operations({
  createWebhook: {
    method: 'POST',
    path: '/webhooks',
    summary: 'Subscribe to events',
    scope: 'webhooks:write',
    gated: true,
    success: 201,
    body: now.create,
    body_2023: in2023.create,
    answer: WebhookWithSecret,
    shown_once: ['secret'],
    problems: ['limit_reached'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    summary: 'List subscriptions',
    scope: 'webhooks:read',
    gated: false,
    success: 200,
    query: z.strictObject(pageQuery),
    answer: page(Webhook),
    problems: [],
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/webhook/{webhook_id}',
    summary: 'Change, disable or enable a subscription',
    scope: 'webhooks:write',
    gated: true,
    success: 200,
    params: WebhookParams,
    body: now.update,
    body_2023: in2023.update,
    answer: Webhook,
    problems: [],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/webhook/{webhook_id}',
    summary: 'End a subscription',
    scope: 'webhooks:write',
    gated: true,
    success: 204,
    params: WebhookParams,
    answer: NoContent,
    problems: [],
  },
  testWebhook: {
    method: 'POST',
    path: '/webhook/{webhook_id}/test',
    summary: 'Send a test event to a subscription',
    scope: 'webhooks:write',
    gated: true,
    success: 200,
    params: WebhookParams,
    answer: WebhookDelivery,
    problems: ['delivery_unavailable'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/webhook/{webhook_id}/rotate-secret',
    summary: 'Replace the signing secret',
    scope: 'webhooks:write',
    gated: true,
    success: 200,
    params: WebhookParams,
    answer: WebhookWithSecret,
    shown_once: ['secret'],
    problems: [],
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/webhook/{webhook_id}/deliveries',
    summary: 'List the deliveries of a subscription',
    scope: 'webhooks:read',
    gated: false,
    success: 200,
    params: WebhookParams,
    query: z.strictObject({ ...pageQuery, status: repeatable(z.enum(DELIVERY_STATUSES)) }),
    answer: page(WebhookDelivery),
    problems: [],
  },
  retryWebhookDelivery: {
    method: 'POST',
    path: '/webhook/{webhook_id}/deliveries/{delivery_id}/retry',
    summary: 'Retry a delivery',
    scope: 'webhooks:write',
    gated: true,
    success: 200,
    params: DeliveryParams,
    answer: WebhookDelivery,
    problems: ['delivery_unavailable'],
  },
  listWebhookEvents: {
    method: 'GET',
    path: '/webhook-events',
    summary: 'Read the feed of events',
    description: `All that webhooks send, oldest first, whether or not anything subscribed to it.
Events never appear behind one that was already read. At the end \`next_page\` is null: to go on
later, send the \`id\` of the last event you have read as \`cursor\`. With \`last\` as \`cursor\`
the page of the newest ones is answered, and \`previous_page\` leads back from there.`,
    scope: 'events:read',
    gated: false,
    success: 200,
    query: z.strictObject({ ...pageQuery, type: repeatable(WebhookEventType) }),
    answer: page(WebhookEvent),
    problems: [],
  },
})

export const webhookEvents = events({
  'Webhook.TEST': { resource: 'webhook', data: Webhook },
})
