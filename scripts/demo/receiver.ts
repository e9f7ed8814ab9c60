/** A local webhook receiver, which verifies each signature and stores the messages. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { EVENT_NAMES } from '@headroom/contract'
import { type Client, verifyWebhook, type WebhookMessage } from '@headroom/sdk'

interface Delivered {
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

export interface Receiver {
  readonly url: string
  /** Messages with a valid signature, in order of arrival. */
  readonly messages: readonly WebhookMessage[]
  readonly refused: () => number
  readonly last: () => Delivered | undefined
  readonly secret: string
  close(): Promise<void>
}

/** Listens on a free local port and subscribes to every event. */
export async function startReceiver(client: Client): Promise<Receiver> {
  const messages: WebhookMessage[] = []
  let refused = 0
  let last: Delivered | undefined
  let secret = ''
  const server = createServer(async (request, response) => {
    const body = await text(request)
    try {
      messages.push(verifyWebhook(body, request.headers, secret))
      last = { body, headers: request.headers }
      response.writeHead(204).end()
    } catch {
      refused += 1
      response.writeHead(400).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  const event_types = EVENT_NAMES as Parameters<Client['createWebhook']>[0]['event_types']
  const webhook = await client.createWebhook({ name: 'Demo', to_url: url, event_types })
  secret = webhook.secret
  return {
    url,
    messages,
    refused: () => refused,
    last: () => last,
    secret,
    close: async () => {
      // Not deleted, so that its deliveries stay visible.
      await client.updateWebhook({ webhook_id: webhook.id, status: 'DISABLED' })
      server.close()
      server.closeAllConnections()
    },
  }
}
