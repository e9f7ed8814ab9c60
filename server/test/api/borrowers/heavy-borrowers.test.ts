/** Pages have fewer rows if the rows are large, so the size of a response is limited. */
import { beforeAll, expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'

const app = await testApp({ work: false })
const { client } = app

const COUNT = 140
const METADATA = { note: 'x'.repeat(16_000) }
/** More than the 2 MiB of a page, because the service only estimates the size of a row. */
const ANSWER_BYTES_MAX = 2.3 * 1024 * 1024

function* sirens(count: number) {
  for (let body = 73_200_000; body < 73_200_000 + count; body += 1) {
    const digits = [...String(body)].map((digit, i) => Number(digit) * (i % 2 === 0 ? 1 : 2))
    const sum = digits.reduce((all, digit) => all + (digit > 9 ? digit - 9 : digit), 0)
    yield `${body}${(10 - (sum % 10)) % 10}`
  }
}

beforeAll(async () => {
  for (const identifier of sirens(COUNT)) {
    await client.createBorrower({ identifier, metadata: METADATA })
  }
  await app.drain()
})

/** Reads all pages of a list; returns the IDs on each page and the size of its response. */
async function readPages(path: string) {
  const pages = []
  for (let next: string | null = path; next; ) {
    const headers = { authorization: `Bearer ${app.key}` }
    const response = await fetch(new URL(next, app.base_url), { headers })
    const text = await response.text()
    const { data, next_page } = JSON.parse(text)
    pages.push({ bytes: text.length, ids: data.map(({ id }: { id: string }) => id) })
    next = next_page
  }
  return pages
}

test.each(['/borrowers', '/webhook-events'])('%s', async path => {
  const all = (await readPages(`${path}?page_size=10`)).flatMap(({ ids }) => ids)
  const pages = await readPages(`${path}?page_size=500`)
  expect(pages.length).toBeGreaterThan(1)
  for (const { bytes } of pages) expect(bytes).toBeLessThan(ANSWER_BYTES_MAX)
  expect(pages.flatMap(({ ids }) => ids)).toEqual(all)
  expect(new Set(all).size).toBe(all.length)
})
