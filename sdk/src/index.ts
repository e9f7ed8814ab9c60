/** The TypeScript client for Headroom's API, typed from its contract, and webhook verification. */
export { createClient } from './client.ts'
export { HeadroomProblem } from './problem.ts'
export type {
  Answered,
  CallOptions,
  Client,
  ClientOptions,
  Input,
  Item,
  ListId,
} from './types.ts'
export { verifyWebhook, type WebhookMessage, WebhookVerificationError } from './webhooks.ts'
