/**
 * Webhooks: partners subscribe to events and receive them, signed. Transactions write events
 * without a position; after the commit, `publishEvents` gives each its place in the feed and
 * creates a delivery for each active subscription to its type. `deliverDue` sends the deliveries:
 * one at a time per resource, retried for days and after a crash. If a delivery is abandoned, the
 * client finds the event in the feed. This module knows events and subscriptions, not what an event
 * is about.
 */
export { type DeliverOptions, deliverDue } from './deliver.ts'
export { webhookHandlers } from './handlers.ts'
export { placeEvents, publishEvents } from './publish-events.ts'
