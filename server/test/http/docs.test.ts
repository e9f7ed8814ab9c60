/** The server's documentation is complete and loads nothing from outside. */
import { type Operation, operations, problems } from '@headroom/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture()
})
afterAll(() => app?.stop())

const page = async (path: string) => {
  const response = await app.fetch(path, { key: null })
  return { response, html: await response.text() }
}

describe('the docs', () => {
  it('the OpenAPI document names this server and every operation', async () => {
    const { response, html } = await page('/openapi.json')
    expect(response.status).toBe(200)
    const document = JSON.parse(html)
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: 'http://house.test' }])
    for (const { path, method } of Object.values(operations as Record<string, Operation>)) {
      expect(document.paths[path][method.toLowerCase()].operationId).toBeTypeOf('string')
    }
  })

  it('the reference has every operation, and no broken links', async () => {
    const { response, html } = await page('/docs')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    for (const id of Object.keys(operations)) expect(html).toContain(`id="${id}"`)
    const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(match => match[1])
    expect(anchors.length).toBeGreaterThan(50)
    for (const anchor of new Set(anchors)) expect(html).toContain(`id="${anchor}"`)
  })

  it.each(['/openapi.json', '/docs', '/problems'])(
    '%s is sent again only if it changed',
    async path => {
      const { response } = await page(path)
      const etag = response.headers.get('etag')!
      const again = (tag: string) =>
        app.fetch(path, { key: null, headers: { 'if-none-match': tag } })
      for (const tag of [etag, `"other", ${etag}`, `W/${etag}`]) {
        const known = await again(tag)
        expect([known.status, await known.text()]).toEqual([304, ''])
        expect(known.headers.get('etag')).toBe(etag)
      }
      expect((await again('"other"')).status).toBe(200)
    },
  )

  it('every problem has its page', async () => {
    const overview = (await page('/problems')).html
    for (const [code, { title }] of Object.entries(problems)) {
      expect(overview).toContain(`href="/problems/${code}"`)
      const { response, html } = await page(`/problems/${code}`)
      expect(response.status).toBe(200)
      expect(html).toContain(`<h1>${title}</h1>`)
    }
    for (const code of ['nothing', '__proto__', 'constructor']) {
      expect((await page(`/problems/${code}`)).response.status).toBe(404)
    }
  })

  it('no page loads external resources, and its policy forbids it', async () => {
    for (const path of ['/docs', '/problems', '/problems/rate_limited']) {
      const { response, html } = await page(path)
      expect(html).not.toMatch(/https?:\/\/|<script|<link|<img|src=| on\w+=/)
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('unsafe')
      const style = html.match(/<style>([\s\S]*)<\/style>/)![1]!
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
      expect(policy).toContain(`'sha256-${Buffer.from(digest).toString('base64')}'`)
    }
  })
})
