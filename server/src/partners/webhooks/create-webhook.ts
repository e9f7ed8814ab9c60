/** Subscribes a partner to events. */
import type { Body, WebhookWithSecret } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import type { Settings } from '../../platform/db/settings.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type InvalidParam, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { countWebhooks, readWebhook, webhookView } from './queries.ts'
import { WEBHOOKS_MAX } from './rules.ts'
import { newSecret, sealSecret } from './secrets.ts'
import { insertWebhook } from './store.ts'
import { targetFault, targetPolicy } from './target.ts'

/**
 * Creates a subscription and returns it with its signing secret, which is shown only once. Throws
 * `limit_reached`.
 */
export async function createWebhook(
  tx: Tx,
  caller: Caller,
  body: Body<'createWebhook'>,
): Promise<WebhookWithSecret> {
  const { partner_id } = caller
  if ((await countWebhooks(tx, partner_id)) >= WEBHOOKS_MAX) {
    throw problem('limit_reached', `A partner may have ${WEBHOOKS_MAX} webhooks.`)
  }
  const secret = newSecret()
  const seal = (id: string) => sealSecret(tx.settings, id, secret)
  const id = await insertWebhook(tx, { ...body, partner_id, seal })
  return { ...webhookView(await readWebhook(tx, partner_id, id)), secret }
}

/** Faults of a subscription: a forbidden target URL, or duplicate event types. */
export function subscriptionFaults(
  settings: Settings,
  body: WellFormed<Body<'updateWebhook'>>,
): InvalidParam[] {
  const faults: InvalidParam[] = []
  const fault = body.to_url && targetFault(body.to_url, targetPolicy(settings))
  if (fault) faults.push({ name: 'to_url', reason: fault })
  const types = body.event_types?.filter(type => type !== undefined) ?? []
  const twice = types.filter((type, i) => types.indexOf(type) !== i)
  for (const type of new Set(twice)) {
    faults.push({ name: 'event_types', reason: `names ${type} more than once` })
  }
  return faults
}
