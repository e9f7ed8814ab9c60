/** Space for large bodies: a disconnected sender does not wait for it. */
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { admitBody } from '../../src/entrypoints/http/large-bodies.ts'

const requestOn = (socket: Socket) =>
  ({ raw: new IncomingMessage(socket), ip: '203.0.113.7' }) as unknown as FastifyRequest

test('a sender that disconnects before it could wait is refused at once', async () => {
  const [first, second, left] = [new Socket(), new Socket(), new Socket()]
  // Both places of one owner.
  const rooms = [await admitBody(requestOn(first)), await admitBody(requestOn(second))]
  left.destroy()
  await once(left, 'close')
  await expect(admitBody(requestOn(left))).rejects.toMatchObject({ code: 'body_malformed' })
  for (const room of rooms) room.leave()
})
