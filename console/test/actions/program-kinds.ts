/** A partner's keys, webhooks and deliveries in each status. */
import { machines } from '@headroom/contract'
import type { TestApp } from '../../../server/test/support/app.ts'
import { at, statusIn } from './other-kinds.ts'
import type { Kind } from './try-actions.ts'

export function keyKind(app: TestApp): Kind {
  const { client } = app
  const prefixes = new Map<string, string>()
  const find = async (id: string) => (await client.listKeys({})).data.find(key => key.id === id)!
  return {
    file: 'keys.tsx',
    statuses: ['in use', 'replaced', 'revoked'],
    at: () => `/p/${app.partner_id}/keys`,
    within: (page, id) => page.getByRole('row').filter({ hasText: prefixes.get(id)! }),
    make: async status => {
      const { id: key_id, prefix } = await client.createKey({ name: 'New', actor: 'human' })
      prefixes.set(key_id, prefix)
      if (status === 'replaced') await client.rotateKey({ key_id, overlap_hours: 5 })
      if (status === 'revoked') await client.revokeKey({ key_id })
      return key_id
    },
    statusOf: async id => {
      const { revoked_at, expires_at } = await find(id)
      return revoked_at ? 'revoked' : expires_at ? 'replaced' : 'in use'
    },
    actions: [
      { label: 'Rotate', sends: key_id => ['rotateKey', { key_id }, { overlap_hours: 1 }] },
      { label: 'Revoke', sends: key_id => ['revokeKey', { key_id }] },
    ],
  }
}

const SWITCHED_OFF = 'FAILED, its webhook disabled'

export function deliveryKind(app: TestApp): Kind {
  const { statusOf, set } = statusIn(app, 'webhook_deliveries')
  const webhooks = new Map<string, string>()
  const switchedOff = new Set<string>()
  return {
    file: 'webhook.tsx',
    statuses: [...machines.delivery.statuses, SWITCHED_OFF],
    statusOf: async id => (switchedOff.has(id) ? SWITCHED_OFF : statusOf(id)),
    at: id => `/p/${app.partner_id}/webhook/${webhooks.get(id)}`,
    within: page => page.getByRole('region', { name: 'Deliveries' }),
    make: async status => {
      const { id: webhook_id } = await app.client.createWebhook({
        name: 'Tried',
        to_url: `${app.base_url}/nowhere`,
        event_types: ['Webhook.TEST'],
      })
      await app.client.testWebhook({ webhook_id })
      await app.drain()
      const { data } = await app.client.listWebhookDeliveries({ webhook_id })
      webhooks.set(data[0]!.id, webhook_id)
      const { id } = data[0]!
      if (status !== SWITCHED_OFF) return set(id, status)
      await app.client.updateWebhook({ webhook_id, status: 'DISABLED' })
      switchedOff.add(id)
      return set(id, 'FAILED')
    },
    actions: [
      {
        label: 'Send again',
        sends: delivery_id => [
          'retryWebhookDelivery',
          { webhook_id: webhooks.get(delivery_id)!, delivery_id },
        ],
      },
    ],
  }
}

export function webhookKind(app: TestApp): Kind {
  const { statusOf, set } = statusIn(app, 'webhooks')
  const of = (webhook_id: string) => ({ webhook_id })
  const to = (status: string) => (id: string) => ['updateWebhook', of(id), { status }] as const
  return {
    file: 'webhook.tsx',
    statuses: machines.webhook.statuses,
    statusOf,
    at: at(app, 'webhook'),
    make: async status => {
      const { id } = await app.client.createWebhook({
        name: 'Tried',
        to_url: `${app.base_url}/nowhere`,
        event_types: ['Loan.TO_REPAY'],
      })
      return set(id, status)
    },
    actions: [
      { label: 'Disable', sends: to('DISABLED') },
      { label: 'Enable', sends: to('ACTIVE') },
      { label: 'Send a test', sends: id => ['testWebhook', of(id)] },
      { label: 'Rotate the secret', sends: id => ['rotateWebhookSecret', of(id)] },
      { label: 'Delete', sends: id => ['deleteWebhook', of(id)] },
    ],
  }
}
