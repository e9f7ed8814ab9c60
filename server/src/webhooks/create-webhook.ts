/** Subscribes a partner to events. */
import type { Body, WebhookWithSecret } from '@headroom/contract'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../db/transaction.ts'
import { type InvalidParam, invalid, problem } from '../kit/problem.ts'
import { countWebhooks, readWebhook, webhookView } from './queries.ts'
import { WEBHOOKS_MAX } from './rules.ts'
import { newSecret, sealSecret } from './secrets.ts'
import { insertWebhook } from './store.ts'
import { targetFault, targetPolicy } from './target.ts'

/**
 * Creates a subscription and answers it with its signing secret, shown this once.
 * Throws 422 for a target that may not be called or an event named twice, 409 beyond the limit.
 */
export async function createWebhook(
  tx: Tx,
  caller: Caller,
  body: Body<'createWebhook'>,
): Promise<WebhookWithSecret> {
  checkSubscription(tx, body)
  const { partner_id } = caller
  if ((await countWebhooks(tx, partner_id)) >= WEBHOOKS_MAX) {
    throw problem('limit_reached', `A partner may have ${WEBHOOKS_MAX} webhooks.`)
  }
  const secret = newSecret()
  const seal = (id: string) => sealSecret(tx.settings, id, secret)
  const id = await insertWebhook(tx, caller.caller_id, { ...body, partner_id, seal })
  return { ...webhookView(await readWebhook(tx, partner_id, id)), secret }
}

/** Throws 422 naming every fault of what the schema cannot know. */
export function checkSubscription(tx: Tx, body: Body<'updateWebhook'>): void {
  const faults: InvalidParam[] = []
  const fault = body.to_url && targetFault(body.to_url, targetPolicy(tx.settings))
  if (fault) faults.push({ name: 'to_url', reason: fault })
  const twice = body.event_types?.filter((type, i, types) => types.indexOf(type) !== i) ?? []
  for (const type of new Set(twice)) {
    faults.push({ name: 'event_types', reason: `names ${type} more than once` })
  }
  if (faults.length > 0) throw invalid(...faults)
}
