/** Paths: their methods, and the response of the root. */
import { type Operation, operations } from '@headroom/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture()
})
afterAll(() => app?.stop())

const routes = Object.values(operations as Record<string, Operation>).flatMap(operation =>
  [operation, ...(operation.aliases ?? [])].map(({ path, method = operation.method }) => ({
    method: method as string,
    address: path.replace(/\{\w+\}/g, 'x'),
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  })),
)

describe('a method that a path does not have', () => {
  it('is refused with the methods it has, also on aliases', async () => {
    let refused = 0
    for (const address of new Set(routes.map(route => route.address))) {
      const methods = new Set(
        routes.filter(({ pattern }) => pattern.test(address)).map(({ method }) => method),
      )
      if (methods.has('GET')) methods.add('HEAD')
      const allow = [...methods, 'OPTIONS'].sort().join(', ')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
        if (methods.has(method)) continue
        const { status, headers } = await app.fetch(address, { method, key: null })
        expect([method, address, status]).toEqual([method, address, 405])
        expect(headers.get('allow')).toBe(allow)
        refused++
      }
      const options = await app.fetch(address, { method: 'OPTIONS', key: null })
      expect([address, options.status, options.headers.get('allow')]).toEqual([address, 204, allow])
    }
    expect(refused).toBeGreaterThan(300)
  })

  it('differs from an unknown path', async () => {
    const wrong = await app.fetch('/credit-lines', { method: 'DELETE' })
    expect(await wrong.json()).toMatchObject({ status: 405, code: 'method_unsupported' })
    const unknown = await app.fetch('/nowhere', { method: 'DELETE' })
    expect([unknown.status, unknown.headers.get('allow')]).toEqual([404, null])
    expect(await unknown.json()).toMatchObject({ code: 'route_unknown' })
    expect((await app.fetch('/console/assets/none.js')).status).toBe(404)
  })
})

describe('the root path', () => {
  it('redirects browsers to the console and gives programs an index', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const person = await app.fetch('/', { key: null, headers: browser, redirect: 'manual' })
    expect([person.status, person.headers.get('location')]).toEqual([303, '/console'])
    const weighed = 'text/html;q=0.1, application/json'
    // Longer than any browser's Accept header, so the server does not parse it.
    const long = `text/html, ${'a/b, '.repeat(1_000)}a/b`
    for (const accept of [
      long,
      weighed,
      'text/html;q=0',
      'application/*, text/html;q=0.9',
      '*/*',
    ]) {
      const program = await app.fetch('/', { key: null, headers: { accept }, redirect: 'manual' })
      expect([accept, program.status]).toEqual([accept, 200])
    }
    for (const accept of ['text/html', 'application/json;q=0.9, text/*', 'TEXT/HTML;q=0.5']) {
      const reader = await app.fetch('/', { key: null, headers: { accept }, redirect: 'manual' })
      expect([accept, reader.status]).toEqual([accept, 303])
    }
    expect(await (await app.fetch('/', { key: null })).json()).toEqual({
      name: 'Headroom',
      reference: 'http://house.test/docs',
      openapi: 'http://house.test/openapi.json',
      console: 'http://house.test/console',
      health: 'http://house.test/readyz',
    })
    for (const path of ['/docs', '/openapi.json', '/console', '/readyz']) {
      expect((await app.fetch(path, { key: null })).status).toBe(200)
    }
  })
})
