/** Creating and listing keys. */
import { scopes } from '@headroom/contract'
import { createClient } from '@headroom/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const as = (key: string) => createClient({ base_url: app.base_url, key })

describe('createKey', () => {
  it('shows the key once, and it works immediately', async () => {
    const { data, status } = await app.client.call('createKey', { name: 'Shop', actor: 'human' })
    expect(status).toBe(201)
    expect(data.key).toMatch(/^hr_sandbox_[A-Za-z0-9_-]{43}$/)
    expect(data).toMatchObject({
      name: 'Shop',
      prefix: data.key.slice(0, 19),
      caller: { name: 'Shop' },
      actor: 'human',
      scopes: null,
      version: '2026-07',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    })
    expect(await as(data.key).hello()).toBe('Hello, Demo Payments\n')
    const listed = (await app.client.listKeys()).data.find(key => key.id === data.id)!
    expect(listed).not.toHaveProperty('key')
    const { key: _, last_used_at, ...rest } = data
    expect(listed).toMatchObject(rest)
    expect(Date.parse(listed.last_used_at!)).toBeGreaterThanOrEqual(Date.parse(data.created_at))
  })

  it('does not store the key itself', async () => {
    const { key } = await app.client.createKey({ name: 'x', actor: 'human' })
    const { rows } = await app.context.database.pool
      .query(`select set_config('headroom.partners', '*', true); select * from keys`)
      .then(results => (results as unknown as { rows: object[] }[])[1]!)
    expect(rows.length).toBeGreaterThan(1)
    expect(JSON.stringify(rows)).not.toContain(key.slice(-24))
  })

  it("grants the requested scopes, and none beyond the creator's", async () => {
    const narrow = await app.client.createKey({
      name: 'narrow',
      actor: 'human',
      scopes: ['keys:write', 'loans:read'],
    })
    expect(narrow.scopes).toEqual(['keys:write', 'loans:read'])
    const client = as(narrow.key)
    const heir = await client.createKey({ name: 'heir', actor: 'human' })
    expect(heir.scopes).toEqual(['keys:write', 'loans:read'])
    const refusal = { status: 403, code: 'scope_missing' }
    const more = client.createKey({ name: 'x', actor: 'human', scopes: ['loans:write'] })
    await expect(more).rejects.toMatchObject(refusal)
    const all = client.createKey({ name: 'x', actor: 'human', scopes: [...scopes] })
    await expect(all).rejects.toMatchObject(refusal)
    await expect(client.listKeys()).rejects.toMatchObject(refusal)
  })

  it('reports every fault', async () => {
    const wrong = { name: '', actor: 'robot', scopes: ['fly'], version: '1', extra: 1 }
    const refusal = await app.client.createKey(wrong as never).catch(error => error)
    expect(refusal.status).toBe(422)
    expect(refusal.invalid_params.map((fault: { name: string }) => fault.name).sort()).toEqual([
      'actor',
      'extra',
      'name',
      'scopes.0',
      'version',
    ])
  })
})

describe('listKeys', () => {
  it("pages its own partner's keys, newest first", async () => {
    const client = app.second
    for (let n = 0; n < 6; n++) await client.createKey({ name: `key ${n}`, actor: 'agent' })
    const first = await client.listKeys({ page_size: 3 })
    expect(first).toMatchObject({ count: 3, page_size: 3, total: 7, previous_page: null })
    expect(first.next_page).toMatch(/^\/keys\?page_size=3&cursor=/)
    const names: string[] = []
    for await (const key of client.each('listKeys', { page_size: 3 })) names.push(key.name)
    expect(names).toEqual([
      'key 5',
      'key 4',
      'key 3',
      'key 2',
      'key 1',
      'key 0',
      'Demo Marketplace: back office',
    ])
    const cursor = new URL(first.next_page!, app.base_url).searchParams.get('cursor')!
    const second = await client.listKeys({ page_size: 3, cursor })
    const back = new URL(second.previous_page!, app.base_url).searchParams.get('cursor')!
    expect((await client.listKeys({ page_size: 3, cursor: back })).data).toEqual(first.data)
    const stolen = await app.client.listKeys({ page_size: 500, cursor })
    expect(stolen.data.filter(key => key.name.startsWith('key '))).toEqual([])
    for (const wrong of ['x', 'AAAA', Buffer.from('[0,"x"]').toString('base64url')]) {
      await expect(client.listKeys({ cursor: wrong })).rejects.toMatchObject({ status: 422 })
    }
  })
})
