/** Card entries: filtered by day, and exported as CSV and PDF. */
import { beforeAll, expect, test } from 'vitest'
import { plain, readPdf } from '../../documents/samples.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, authorize, spend } from '../../support/cards.ts'
import { plusDays, today } from '../../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

async function exported(card_id: string, query: string) {
  const response = await fetch(`${app.base_url}/cards/${card_id}/entries/export${query}`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('from a day and before another, newest first', async () => {
  const card = await activeCard(app)
  const first = await spend(app, card, 100)
  const day = await today(app)
  await app.client.advanceSandboxClock({ days: 2 })
  const second = await spend(app, card, 200)
  const ids = async (range: { from_date?: string; to_date?: string }) =>
    (await app.client.listCardEntries({ card_id: card.id, ...range })).map(e => e.id)
  expect(await ids({})).toEqual([second.id, first.id])
  expect(await ids({ to_date: plusDays(day, 1) })).toEqual([first.id])
  expect(await ids({ from_date: day, to_date: plusDays(day, 1) })).toEqual([first.id])
  expect(await ids({ from_date: first.created, to_date: second.created })).toEqual([first.id])
  expect(await ids({ from_date: day, to_date: day })).toEqual([])
  expect(await ids({ from_date: plusDays(day, 1) })).toEqual([second.id])
  const wrong = ids({ from_date: plusDays(day, 1), to_date: day })
  await expect(wrong).rejects.toMatchObject({ status: 422 })
})

test('as CSV with decimals and neutralized formulas, and as a PDF', async () => {
  const card = await activeCard(app)
  await app.client.authorizeSandboxCard({
    card_id: card.id,
    amount: 1_205,
    currency: 'EUR',
    merchant_name: '=SUM(A1), "Bar"',
  })
  await app.client.refundSandboxCard({ card_id: card.id, amount: 50 })
  const dollars = { card_id: card.id, amount: 707, currency: 'USD', merchant_name: 'Diner' }
  await app.client.authorizeSandboxCard(dollars)
  const { response, bytes } = await exported(card.id, '')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [head, ...rows] = bytes.toString('utf8').trimEnd().split('\r\n')
  expect(head).toMatch(/^id,created,cleared_at,status,transaction_type,amount,currency/)
  expect(rows[0]).toContain(`,pending,payment,12.05,EUR,"'=SUM(A1), ""Bar""",unknown`)
  expect(rows[1]).toContain(',completed,refund,-0.50,EUR,')
  const month = (await today(app)).slice(0, 7)
  const paper = await exported(card.id, `?format=pdf&period=${month}`)
  expect(paper.response.headers.get('content-type')).toBe('application/pdf')
  // An entry declined because of its currency keeps that currency.
  expect(plain((await readPdf(paper.bytes)).text)).toMatch(/Diner Refusé 7,07 \$/)
  const before = await exported(card.id, '?period=2020-01')
  expect(before.bytes.toString('utf8').trimEnd().split('\r\n')).toHaveLength(1)
  expect((await exported(card.id, '?period=2020-13')).response.status).toBe(422)
  expect((await exported(card.id, '?period=2020-01&to_date=2020-01-02')).response.status).toBe(422)
  expect((await exported(crypto.randomUUID(), '')).response.status).toBe(404)
})

test('the earliest and the latest possible day', async () => {
  const card = await activeCard(app)
  const entry = await spend(app, card, 100)
  const statusOf = async (query: string) => (await exported(card.id, query)).response.status
  expect(await statusOf('?period=0000-01')).toBe(422)
  expect(await statusOf('?period=9999-12')).toBe(200)
  const to_date = '9999-12-31'
  const entries = await app.client.listCardEntries({ card_id: card.id, to_date })
  expect(entries.map(({ id }) => id)).toEqual([entry.id])
})

test('a declined entry shows its reason', async () => {
  const card = await activeCard(app)
  const { approved, authorization_id } = await authorize(app, card, 99_999_999)
  expect(approved).toBe(false)
  const [entry] = await app.client.listCardEntries({ card_id: card.id })
  expect(entry).toMatchObject({
    id: authorization_id,
    status: 'declined',
    amount: 99_999_999,
    decline_reason: 'insufficient_headroom',
  })
})
