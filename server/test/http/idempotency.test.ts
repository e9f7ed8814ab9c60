/** Repeats under one Idempotency-Key: one effect and one answer, whatever happens in between. */
import { randomUUID } from 'node:crypto'
import { once as happens } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type { CallOptions } from '@headroom/sdk'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Handler, PreparedHandler } from '../../src/context.ts'
import { deleteOldAnswers } from '../../src/entrypoints/http/idempotency.ts'
import { accessHandlers } from '../../src/platform/access/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { problem } from '../../src/platform/kit/problem.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

/** A test's hook in `createKey`, after the key is created and before the commit. */
let interfere = async (): Promise<void> => {}
let resets = 0
let prepared = 0
const realCreateKey = accessHandlers.createKey as Handler<'createKey'>
const realRevokeKey = accessHandlers.revokeKey as Handler<'revokeKey'>
const preparedRevoke: PreparedHandler<'revokeKey', number> = {
  prepare: async () => ++prepared,
  handle: (tx, call, context) => realRevokeKey(tx, call, context) as never,
}

let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture({
    handlers: {
      createKey: async (tx, call, context) => {
        const answer = await realCreateKey(tx, call, context)
        await interfere()
        return answer
      },
      revokeKey: preparedRevoke,
      resetSandbox: {
        orchestrate: async () => {
          resets++
          await interfere()
          return null
        },
      },
    },
  })
})
afterAll(() => app?.stop())

const terms = { name: 'one', actor: 'agent' } as const
const once = (): CallOptions => ({ idempotency_key: randomUUID() })
const keyCount = async () => (await app.client.listKeys()).total

describe('the same request again', () => {
  it('gets the first answer including status and secret, and has no effect', async () => {
    const options = once()
    const first = await app.client.call('createKey', terms, options)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    const count = await keyCount()
    for (const input of [terms, { actor: 'agent', name: 'one' } as const]) {
      const again = await app.client.call('createKey', input, options)
      expect([again.status, again.data]).toEqual([201, first.data])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
    expect(await keyCount()).toBe(count)
  })

  it('is stored so that the secret in it cannot be read', async () => {
    const options = once()
    const { key } = await app.client.createKey(terms, options)
    const all = await transaction(app.database, { partners: '*', actor: 'service' }, tx =>
      tx.raw('select * from idempotency_keys'),
    )
    expect(all.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(all.rows)).not.toContain(key.slice(-20))
  })

  it('belongs to one partner', async () => {
    const other = await app.newPartner('Other')
    const options = once()
    const mine = await app.client.createKey(terms, options)
    const theirs = await app.as(other.key.key).call('createKey', { ...terms, name: 'x' }, options)
    expect(theirs.status).toBe(201)
    expect(theirs.data.id).not.toBe(mine.id)
  })

  it('may be deleted after 30 days', async () => {
    const options = once()
    const first = await app.client.createKey(terms, options)
    await transaction(app.database, { partners: '*', actor: 'service' }, async tx => {
      await tx.raw(`update idempotency_keys set created_at = now() - interval '31 days'
        where key = '${options.idempotency_key}'`)
    })
    const second = await app.client.call('createKey', terms, options)
    expect(second.data.id).not.toBe(first.id)
    expect(second.headers.get('idempotent-replayed')).toBeNull()
    expect((await app.client.createKey(terms, options)).id).toBe(second.data.id)
    await transaction(app.database, { partners: '*', actor: 'service' }, async tx => {
      await tx.raw(`update idempotency_keys set created_at = now() - interval '31 days'
        where key = '${options.idempotency_key}'`)
      expect(await deleteOldAnswers(tx)).toBe(1)
    })
  })
})

it('must be single: two keys are refused', async () => {
  const { key } = await app.client.createKey({ name: 'x', actor: 'human' })
  const count = await keyCount()
  const { status, body } = await postTwiceKeyed(key, terms)
  expect([status, body.code]).toEqual([400, 'header_invalid'])
  expect(body.invalid_params).toEqual([{ name: 'Idempotency-Key', reason: 'is given once' }])
  expect(await keyCount()).toBe(count)
})

/** Sends two `Idempotency-Key` lines, which fetch would merge. */
async function postTwiceKeyed(key: string, content: unknown) {
  const request = http.request(`${app.base_url}/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': ['one', 'two'],
    },
  })
  request.end(JSON.stringify(content))
  const [response] = (await happens(request, 'response')) as [http.IncomingMessage]
  const body = JSON.parse(await text(response))
  return { status: response.statusCode, body }
}

describe('the same key for another request', () => {
  it('is a conflict that names the first', async () => {
    const options = once()
    const first = await app.client.createKey(terms, options)
    const conflict = { status: 409, code: 'idempotency_conflict', resource_id: first.id }
    const other = app.client.createKey({ ...terms, name: 'two' }, options)
    await expect(other).rejects.toMatchObject(conflict)
    const operation = app.client.rotateKey({ key_id: first.id }, options)
    await expect(operation).rejects.toMatchObject(conflict)
    const target = app.client.revokeKey({ key_id: first.id }, options)
    await expect(target).rejects.toMatchObject(conflict)
  })
})

describe('a failed request', () => {
  it('does not use up the key, whether refused or failed on our side', async () => {
    const options = once()
    const count = await keyCount()
    interfere = async () => {
      throw problem('state_conflict')
    }
    await expect(app.client.createKey(terms, options)).rejects.toMatchObject({ status: 409 })
    interfere = async () => {
      throw new Error('no')
    }
    await expect(app.client.createKey(terms, options)).rejects.toMatchObject({ status: 500 })
    interfere = async () => {}
    expect(await keyCount()).toBe(count)
    expect((await app.client.call('createKey', { ...terms, name: 'other' }, options)).status).toBe(
      201,
    )
    expect(await keyCount()).toBe(count! + 1)
  })
})

describe('a request that is still running', () => {
  it('refuses its repeat, which gets the answer later, even after a disconnect', async () => {
    const options = once()
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    interfere = () => {
      begun.resolve()
      return gate.promise
    }
    const gone = new AbortController()
    const first = app.client.createKey(terms, { ...options, signal: gone.signal })
    await begun.promise
    gone.abort()
    await expect(first).rejects.toThrow('abort')
    await expect(app.client.createKey(terms, options)).rejects.toMatchObject({
      status: 409,
      code: 'request_running',
    })
    interfere = async () => {}
    gate.resolve()
    const again = await vi.waitUntil(
      () => app.client.call('createKey', terms, options).catch(() => null),
      { timeout: 60_000 },
    )
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  it('sent 50 times concurrently has one effect', async () => {
    const options = once()
    const count = await keyCount()
    const tries = Array.from({ length: 50 }, () =>
      app.client.call('createKey', terms, options).catch(error => error),
    )
    const outcomes = await Promise.all(tries)
    const answered = outcomes.filter(outcome => outcome.status === 201)
    expect(new Set(answered.map(outcome => outcome.data.id)).size).toBe(1)
    expect(outcomes.filter(o => o.status !== 201 && o.code !== 'request_running')).toEqual([])
    expect(await keyCount()).toBe(count! + 1)
  })
})

describe('other kinds of handler', () => {
  it('a prepared one makes its outside call only once', async () => {
    const { id } = await app.client.createKey(terms)
    const options = once()
    const first = await app.client.call('revokeKey', { key_id: id }, options)
    const requested = prepared
    const again = await app.client.call('revokeKey', { key_id: id }, options)
    expect([again.status, again.data]).toEqual([200, first.data])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(prepared).toBe(requested)
  })

  it('an orchestrated one replays its answer too, without parameters or a body', async () => {
    const options = once()
    const before = resets
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    interfere = () => {
      begun.resolve()
      return gate.promise
    }
    const first = app.client.call('resetSandbox', {}, options)
    await begun.promise
    await expect(app.client.resetSandbox({}, options)).rejects.toMatchObject({
      code: 'request_running',
    })
    gate.resolve()
    expect(await first).toMatchObject({ status: 204, data: null })
    interfere = async () => {}
    const again = await app.client.call('resetSandbox', {}, options)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([204, 'true'])
    expect(resets).toBe(before + 1)
  })
})
