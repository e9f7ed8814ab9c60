/** Back-office lookups: search by name or number, the audit trail, invitations. */
import type { Borrower } from '@headroom/contract'
import { beforeAll, expect, test } from 'vitest'
import { tableOf } from '../../src/back-office/operations/reports.ts'
import { setGate, setInvoiceReview } from '../../src/platform/access/index.ts'
import { raiseAlert, readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, spend } from '../support/cards.ts'
import { createOperatorSession, type Person, signIn } from '../support/console.ts'
import { lend } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

let app: TestApp
let borrower: ReadyBorrower
let viewer: Person
let ana: Person
let cleo: Person
beforeAll(async () => {
  app = await testApp()
  borrower = await readyBorrower(app, 'SCT')
  await lend(app, borrower, { amount: 50_000, days: 20 })
  await createOperatorSession(app, { email: 'vera@lender.example', role: 'viewer' })
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'admin' })
  const { partner_id } = app
  await createOperatorSession(app, { email: 'cleo@partner.example', role: 'viewer', partner_id })
  viewer = await signIn(app, 'vera@lender.example')
  ana = await signIn(app, 'ana@lender.example')
  cleo = await signIn(app, 'cleo@partner.example')
})

test("one search box finds records of all partners, or a partner user's own", async () => {
  const { second } = app
  const made = await second.generateSandboxBusiness({ is_borrower: true })
  const stranger = await second.createBorrower(made)
  const found = async (who: Person, query: string) =>
    (await who.admin('search', { query: { query } })).data.map(({ kind, id }) => `${kind} ${id}`)
  const loan = (await app.client.listLoans({})).data[0]!
  const own = `borrower ${borrower.id}`
  for (const query of [borrower.identifier, ` ${borrower.id} `, borrower.account_number!]) {
    expect(await found(viewer, query)).toEqual([own])
    expect(await found(cleo, query)).toEqual([own])
  }
  const reference = loan.repayment_to_references[0]!
  for (const query of [loan.id, reference, reference.toLowerCase()]) {
    expect(await found(cleo, query)).toEqual([`loan ${loan.id}`])
  }
  // The id of a credit line or card entry leads to its borrower or card.
  const [line] = (await app.client.listCreditLines({ borrower: [borrower.id] })).data
  expect(await found(cleo, line!.id)).toEqual([own])
  const card = await activeCard(app)
  await spend(app, card, 2_000)
  const [entry] = await app.client.listCardEntries({ card_id: card.id })
  expect(await found(cleo, entry!.id)).toEqual([`card ${card.id}`])
  // Any part of a name matches, in any case.
  const name = stranger.name!.slice(2, 8).toUpperCase()
  expect(await found(viewer, name)).toContain(`borrower ${stranger.id}`)
  expect(await found(cleo, stranger.identifier)).toEqual([])
  expect(await found(viewer, '%')).toEqual([])
})

test('audit entries name their actors, and pending jobs are listed', async () => {
  const { data } = await viewer.admin('listAudit', { query: { resource_id: borrower.id } })
  expect(data.at(-1)).toMatchObject({ kind: 'STEP', resource: 'borrower', from_status: null })
  await app.drain()
  const { queues } = await viewer.admin('getBacklog')
  expect(queues.filter(queue => queue.failed > 0)).toEqual([])
})

test('a report shows what it was compared with', async () => {
  const params = { name: 'trial-balance' }
  const { columns, rows, reconciled } = await viewer.admin('getReport', { params })
  expect(rows.length).toBeGreaterThan(0)
  expect(Object.keys(rows[0]!)).toEqual(columns.map(column => column.name))
  for (const { reported, found } of reconciled) expect(reported).toBe(found)
  expect(columns[0]).toEqual({ name: 'account', kind: 'word' })
  const aging = await viewer.admin('getReport', { params: { name: 'aging' } })
  expect(aging.partners).toEqual({ [app.partner_id]: 'Demo Payments' })
  expect(aging.rows[0]).toMatchObject({ partner_id: app.partner_id })
  const future = await viewer.call('GET', '/admin/report/aging?as_of=2999-01-01')
  expect(future).toMatchObject({ status: 422, body: { invalid_params: [{ name: 'as_of' }] } })
})

test('a report too long for one page says so, and its totals cover all rows', async () => {
  const rows = [[{ amount: 1n }, { amount: 2n }], [{ amount: 3n }]]
  const reconcile = async () => [{ with: 'the books', reported: 6n, found: 6n }]
  const report = { columns: { amount: 'cents' as const }, rows, reconcile }
  const cut = await tableOf(report, 2)
  expect(cut.rows).toEqual([{ amount: 1 }, { amount: 2 }])
  expect(cut).toMatchObject({ total: 3, reconciled: [{ reported: 6 }] })
  expect((await tableOf(report, 3)).rows.length).toBe(3)
})

test('sign-ins, keys, switches, attempts and products appear in the audit trail', async () => {
  const { client, agent } = app
  const key = await client.createKey({ name: 'Short-lived', actor: 'human' })
  await client.revokeKey({ key_id: key.id })
  await client.revokeKey({ key_id: key.id })
  const body = { kind: 'payouts', partner_id: null, reason: 'A drill.' }
  expect((await ana.call('POST', '/admin/switches/throw', { body })).status).toBe(204)
  const [wallet] = (await viewer.admin('listProducts')).data
  await ana.admin('changeProduct', {
    params: { product_id: wallet!.id },
    body: { change: { monthly_fee: 100 }, reason: 'A new price.' },
  })
  const refused = agent.updateBorrower(
    { borrower_id: borrower.id, preferred_language: 'de' },
    { headers: { 'x-decision-id': crypto.randomUUID() } },
  )
  await expect(refused).rejects.toMatchObject({ status: 404 })
  const result = async (query: Record<string, string>) => {
    const { data } = await viewer.admin('listAudit', { query })
    return data.map(({ actor, did, resource, to_status }) => [actor, did, resource, to_status])
  }
  const keys = [
    ['Demo Payments: back office', 'revoke', 'key', null],
    ['Demo Payments: back office', 'create', 'key', null],
  ]
  expect(await result({ resource_id: key.id })).toEqual(keys)
  const [thrown] = await result({ kind: 'ACT' })
  expect(thrown).toEqual(['ana@lender.example', 'throw', 'payouts_switch', null])
  expect(await result({ kind: 'SIGN_IN' })).toContainEqual([
    'cleo@partner.example',
    'sign_in',
    'session',
    'DONE',
  ])
  expect(await result({ kind: 'PRODUCT' })).toEqual([
    ['ana@lender.example', 'change', 'product', null],
  ])
  expect((await result({ kind: 'ATTEMPT' }))[0]).toEqual([
    'Demo agent',
    'updateBorrower',
    'decision',
    'REFUSED',
  ])
  const first = await viewer.admin('listAudit', { query: { page_size: '3' } })
  const next = await viewer.call('GET', first.next_page!)
  const ids = [...first.data, ...next.body.data].map(({ id }: { id: string }) => id)
  expect(ids).toEqual([...ids].sort().reverse())
})

test('every change to access or safeguards names its actor', async () => {
  const { client, partner_id } = app
  const made = await client.createWebhook({
    name: 'Shop',
    to_url: 'https://shop.example/in',
    event_types: ['Loan.CLOSED'],
  })
  const { id: webhook_id } = made
  await client.updateWebhook({ webhook_id, to_url: 'https://elsewhere.example/in' })
  await client.rotateWebhookSecret({ webhook_id })
  await client.deleteWebhook({ webhook_id })
  const everywhere = { partners: '*', actor: 'service' } as const
  const alert = await transaction(app.context.database, everywhere, async tx => {
    await setGate(tx.as('command line'), partner_id, {
      people_need_decisions: false,
    })
    await setInvoiceReview(tx.as('command line'), partner_id, 'NONE')
    await raiseAlert(tx, 'funding_short', partner_id, 'Too little.')
    return (await readOpenAlerts(tx)).at(-1)!
  })
  await agree(app, {})
  await ana.admin('acknowledgeAlert', { params: { alert_id: alert.id } })
  const eve = await createOperatorSession(app, { email: 'eve@lender.example' })
  const about = async (resource_id: string) => {
    const { data } = await viewer.admin('listAudit', { query: { resource_id, kind: 'ACT' } })
    return data.reverse().map(({ actor, did, resource, reason }) => [actor, did, resource, reason])
  }
  const office = 'Demo Payments: back office'
  expect(await about(webhook_id)).toEqual([
    [office, 'change', 'webhook', 'to_url'],
    [office, 'rotate', 'webhook', null],
    [office, 'delete', 'webhook', null],
  ])
  expect(await about(partner_id)).toEqual([
    ['command line', 'change', 'partner', 'people_need_decisions: false'],
    ['command line', 'change', 'partner', 'invoice_review: NONE'],
    [
      'command line',
      'change',
      'partner',
      expect.stringMatching(/^company: .+, 732829320, bills@partner.example, paid to FR76/),
    ],
    ['command line', 'change', 'partner', 'WALLET_FINANCING: SERVICE CHARGED, mark-up 0 ppm a day'],
  ])
  expect(await about(alert.id)).toEqual([['ana@lender.example', 'acknowledge', 'alert', null]])
  expect(await about(eve)).toEqual([['command line', 'create', 'operator', null]])
})

test("a partner's viewer reads decisions and searches companies by part of a name", async () => {
  const { id } = await app.agent.proposeDecision({
    title: 'German letters',
    rationale: 'Asked for.',
    operations: [{ method: 'PATCH', path: `/borrower/${borrower.id}`, body: { metadata: {} } }],
  })
  const { body: list } = await cleo.call('GET', '/governance/decisions')
  expect(list.data.map((one: { id: string }) => one.id)).toEqual([id])
  for (const path of [`/governance/decision/${id}`, `/governance/attempts?decision_id=${id}`]) {
    expect((await cleo.call('GET', path)).status).toBe(200)
  }
  const approved = await cleo.call('POST', `/governance/decision/${id}/approve`)
  expect(approved.body.code).toBe('scope_missing')
  const found = async (query: string): Promise<Borrower[]> => {
    const { body } = await cleo.call('GET', `/borrowers?query=${encodeURIComponent(query)}`)
    return body.data
  }
  // Other companies may share a part of the name or number.
  const name = borrower.name!.slice(2)
  const byName = await found(name.toUpperCase())
  expect(byName.map(one => one.id)).toContain(borrower.id)
  for (const one of byName) expect(one.name).toContain(name)
  const prefix = borrower.identifier.slice(0, 5)
  const byIdentifier = await found(prefix)
  expect(byIdentifier.map(one => one.id)).toContain(borrower.id)
  for (const one of byIdentifier) expect(one.identifier).toContain(prefix)
  expect(await found('%')).toEqual([])
})

test('an invitation is listed and found only by its own partner', async () => {
  const { client, second, partner_id } = app
  const email = 'new@company.example'
  const { id } = await client.createOnboarding({ preferred_language: 'nl', email })
  await second.createOnboarding({ preferred_language: 'fr' })
  for (const who of [cleo, viewer]) {
    const { data } = await who.admin('listOnboardings', { query: { partner_id } })
    expect(data).toMatchObject([{ id, company: email, status: 'CREATED', is_expired: false }])
    // The link lets its holder act as the company, so read-only users do not get it.
    expect(data[0]!.secure_resume_link).toBe(null)
    const { status, body } = await who.call('GET', `/onboarding/${id}`, { partner_id })
    expect([status, body.secure_resume_link]).toEqual([200, null])
    const found = await who.admin('search', { query: { query: email } })
    expect(found.data).toMatchObject([{ kind: 'onboarding', id }])
  }
  // With the link, an agent could act for the company without decisions.
  const seen = await app.agent.getOnboarding({ onboarding_id: id })
  expect([seen.id, seen.secure_resume_link]).toEqual([id, null])
  await app.drain()
  const events = await app.agent.listWebhookEvents({ type: ['Onboarding.CREATED'] })
  expect(JSON.stringify(events.data)).toContain(id)
  expect(JSON.stringify(events.data)).not.toContain('signature=')
  const { data } = await ana.admin('listOnboardings', { query: { partner_id } })
  expect(data[0]!.secure_resume_link).toContain(`/onboarding/${id}?signature=`)
  const other = `/admin/onboardings?partner_id=${crypto.randomUUID()}`
  expect(await cleo.call('GET', other)).toMatchObject({ status: 404 })
})
