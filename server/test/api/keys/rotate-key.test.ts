/** Rotation keeps a key's caller and scopes. Revocation takes effect immediately. */
import { createClient } from '@headroom/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const as = (key: string) => createClient({ base_url: app.base_url, key })
const HOUR_MS = 3_600_000
const newKey = (name: string) =>
  app.client.createKey({ name, actor: 'human', scopes: ['loans:read', 'keys:write'] })
const works = (key: string) =>
  as(key)
    .hello()
    .then(
      () => true,
      error => (error.code === 'key_invalid' ? false : Promise.reject(error)),
    )

describe('rotateKey', () => {
  it('keeps identity and scopes; the old key works for another day', async () => {
    const old = await newKey('shop')
    const { data: fresh, status } = await app.client.call('rotateKey', { key_id: old.id })
    expect(status).toBe(201)
    expect(fresh).toMatchObject({ caller: old.caller, actor: old.actor, scopes: old.scopes })
    expect(fresh.id).not.toBe(old.id)
    expect(fresh.key).not.toBe(old.key)
    expect([await works(old.key), await works(fresh.key)]).toEqual([true, true])
    const listed = (await app.client.listKeys()).data.find(key => key.id === old.id)!
    const left = Date.parse(listed.expires_at!) - Date.now()
    expect(Math.abs(left - 24 * HOUR_MS)).toBeLessThan(60_000)
  })

  it('ends the old key immediately without an overlap, or at the end of the overlap', async () => {
    const first = await newKey('now')
    await app.client.rotateKey({ key_id: first.id, overlap_hours: 0 })
    expect(await works(first.key)).toBe(false)
    const second = await newKey('later')
    await app.client.rotateKey({ key_id: second.id, overlap_hours: 168 })
    expect(await works(second.key)).toBe(true)
    await transaction(app.context.database, { partners: '*', actor: 'service' }, async tx => {
      await tx.raw(`update keys set expires_at = now() - interval '1 second' where id = $1`, [
        second.id,
      ])
    })
    expect(await works(second.key)).toBe(false)
    const long = app.client.rotateKey({ key_id: second.id, overlap_hours: 169 })
    await expect(long).rejects.toMatchObject({ status: 422 })
  })

  it('is possible once per key, even concurrently', async () => {
    const { id } = await newKey('twice')
    const tries = Array.from({ length: 10 }, () =>
      app.client.call('rotateKey', { key_id: id }).catch(error => error),
    )
    const statuses = (await Promise.all(tries)).map(outcome => outcome.status).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(409)])
    const { id: gone } = await newKey('gone')
    await app.client.revokeKey({ key_id: gone })
    const dead = app.client.rotateKey({ key_id: gone })
    await expect(dead).rejects.toMatchObject({ status: 409, code: 'state_conflict' })
  })

  it("gives no key with more scopes than the caller's, but always its own key", async () => {
    const narrow = await newKey('narrow')
    const client = as(narrow.key)
    const { data } = await app.client.listKeys()
    const first = data.find(key => key.scopes === null && key.actor === 'human')!
    const raise = client.rotateKey({ key_id: first.id })
    await expect(raise).rejects.toMatchObject({ status: 403, code: 'scope_missing' })
    expect((await client.rotateKey({ key_id: narrow.id })).scopes).toEqual(narrow.scopes)
  })

  it('does not find an unknown key', async () => {
    for (const act of ['rotateKey', 'revokeKey'] as const) {
      const nobody = app.client[act]({ key_id: app.partner_id })
      await expect(nobody).rejects.toMatchObject({ status: 404, code: 'resource_unknown' })
      const malformed = app.client[act]({ key_id: 'x' })
      await expect(malformed).rejects.toMatchObject({ invalid_params: [{ name: 'key_id' }] })
    }
  })
})

describe('revokeKey', () => {
  it('ends a key immediately, and once', async () => {
    const { id, key } = await newKey('leaked')
    expect(await works(key)).toBe(true)
    const revoked = await app.client.revokeKey({ key_id: id })
    expect(revoked.revoked_at).not.toBeNull()
    expect(await works(key)).toBe(false)
    expect(await app.client.revokeKey({ key_id: id })).toEqual(revoked)
  })

  it('needs every scope of the revoked key', async () => {
    const { key } = await app.client.createKey({
      name: 'keys alone',
      actor: 'human',
      scopes: ['keys:write'],
    })
    const client = as(key)
    const { data } = await app.client.listKeys()
    const refusal = { status: 403, code: 'scope_missing' }
    for (const other of data.filter(one => !one.revoked_at && one.scopes === null)) {
      await expect(client.revokeKey({ key_id: other.id })).rejects.toMatchObject(refusal)
      await expect(client.rotateKey({ key_id: other.id })).rejects.toMatchObject(refusal)
    }
    expect(await works(app.key)).toBe(true)
    const heir = await client.createKey({ name: 'heir', actor: 'human' })
    expect((await client.revokeKey({ key_id: heir.id })).revoked_at).not.toBeNull()
  })

  it("can be used on the caller's own key", async () => {
    const { id, key } = await newKey('own')
    await as(key).revokeKey({ key_id: id })
    expect(await works(key)).toBe(false)
  })
})
