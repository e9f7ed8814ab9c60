/**
 * Webhooks: partners subscribe to events and are sent each one, signed, until they confirm it.
 * Transactions write their events without a position; once committed, `placeEvents` gives each its
 * place in the feed and makes a delivery for every subscription that names its type. `deliverDue`
 * sends them: of one resource one after the other, tried again over days, and again after a crash.
 * Whoever misses one for good reads the feed. This room knows events and subscriptions only, never
 * what an event is about; others call these two functions and nothing else.
 */
export { type DeliverOptions, deliverDue } from './deliver.ts'
export { webhookHandlers } from './handlers.ts'
export { placeEvents } from './place-events.ts'
