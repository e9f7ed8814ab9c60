/** One partner's heavy work does not keep other partners waiting. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { drawPdf, mandateDocument } from '../../src/integrations/documents/index.ts'
import type { MailPort } from '../../src/integrations/ports/mail.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { enqueue } from '../../src/platform/jobs/index.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { mandateInput } from '../documents/samples.ts'
import { testApp } from '../support/app.ts'
import { createOperatorSession, signIn } from '../support/console.ts'
import { until } from '../support/until.ts'

const AT_ONCE = 64
const app = await testApp({ connections: POOL_MAX, work: false })

async function createBorrower(client = app.client): Promise<string> {
  const business = await client.generateSandboxBusiness({ country: 'FRA' })
  return (await client.createBorrower(business)).id!
}

const sign = (borrower_id: string, client = app.client) =>
  client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })

async function signedBorrower(client = app.client): Promise<string> {
  const id = await createBorrower(client)
  await sign(id, client)
  return id
}

async function statement(borrower_id: string, key = app.key): Promise<void> {
  const query = 'from=2026-01-01&to=2027-12-31&format=pdf'
  const answer = await fetch(`${app.base_url}/borrower/${borrower_id}/statement?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
}

/** The number of calls in `flood` that were answered before `other` was. */
async function answeredBefore(
  flood: readonly (() => Promise<unknown>)[],
  other: () => Promise<unknown>,
): Promise<number> {
  let answered = 0
  const all = flood.map(async call => {
    await call()
    answered++
  })
  const before = other().then(() => answered)
  await Promise.all(all)
  return before
}

const ATTEMPTS_MAX = 4

/**
 * The least of `answeredBefore` in several attempts. A busy machine can pause `other`'s process for
 * as long as the flood lasts, but not in each of them.
 */
async function leastBefore(
  enough: number,
  flood: readonly (() => Promise<unknown>)[],
  other: () => Promise<unknown>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS_MAX && least >= enough; attempt++) {
    least = Math.min(least, await answeredBefore(flood, other))
  }
  return least
}

const often = <T>(make: (index: number) => T) => Array.from({ length: AT_ONCE }, (_, n) => make(n))

test('statements as PDF: another partner is answered while most of them wait', async () => {
  const id = await signedBorrower()
  const flood = often(() => () => statement(id))
  const before = await leastBefore(AT_ONCE / 4, flood, () => app.second.hello())
  expect(before).toBeLessThan(AT_ONCE / 4)
})

test('statements as PDF: another partner gets its own after a few of them', async () => {
  const [id, own] = [await signedBorrower(), await signedBorrower(app.second)]
  const flood = often(() => () => statement(id))
  const before = await leastBefore(AT_ONCE / 4, flood, () => statement(own, app.second_key))
  expect(before).toBeLessThan(AT_ONCE / 4)
})

test('signatures: another partner is answered while most of them wait', async () => {
  const ids: string[] = []
  for (let n = 0; n < AT_ONCE; n++) ids.push(await createBorrower())
  const flood = often(n => () => sign(ids[n]!))
  const before = await answeredBefore(flood, async () => {
    for (let n = 0; n < 8; n++) await app.second.hello()
  })
  expect(before).toBeLessThan(AT_ONCE / 2)
})

/** A transaction with the priority of card authorizations. */
const authorisation = () =>
  transaction(app.context.database, { partners: '*', purpose: 'card', actor: 'service' }, tx =>
    tx.all(sql`select id from cards limit 1`),
  )

test('invalid cookies: a card and signed-in users are still answered', async () => {
  const email = 'kim@lender.example'
  await createOperatorSession(app, { email })
  const kim = await signIn(app, email)
  const flood = often(() => () => {
    const cookie = `headroom_session=${randomBytes(32).toString('base64url')}`
    return fetch(`${app.base_url}/admin/session`, { headers: { cookie } })
  })
  expect(await leastBefore(AT_ONCE / 2, flood, authorisation)).toBeLessThan(AT_ONCE / 2)
  expect((await kim.call('GET', '/admin/session')).status).toBe(200)
})

test('six long reports: two run, and cards, people and the worker are answered', async () => {
  const { database } = app.context
  const opened = Promise.withResolvers<void>()
  let reading = 0
  const scope = { partners: '*', snapshot: true, purpose: 'report' } as const
  const reports = Array.from({ length: 6 }, () =>
    transaction(database, scope, async () => {
      reading++
      await opened.promise
    }),
  )
  await until(() => reading === 2)
  await authorisation()
  await transaction(database, { partners: '*', actor: 'service' }, tx => tx.all(sql`select 1`))
  await app.client.hello()
  expect(reading).toBe(2)
  opened.resolve()
  await Promise.all(reports)
  expect(reading).toBe(6)
})

test('a mail server that hangs delays no other job', async () => {
  const own = await testApp({ connections: POOL_MAX, work: false })
  const { context, client, partner_id } = own
  const hanging = Promise.withResolvers<void>()
  let requested = false
  const mail: MailPort = {
    send: async () => {
      requested = true
      await hanging.promise
      return { state: 'sent', message_id: null }
    },
  }
  Object.assign(context.ports, { mail })
  const borrower_id = await createBorrower(client)
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    const id = tx.newId()
    await tx.run(sql`
      insert into mails (id, partner_id, recipient, subject, body, document_ids, created_at)
      values (${id}, ${partner_id}, 'a@b.example', 'S', 'B', '{}', now())`)
    enqueue(tx, 'send_mail', { partner_id, mail_id: id })
  })
  context.worker.start()
  await until(() => requested)
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx =>
    enqueue(tx, 'review_lateness', { partner_id: app.partner_id, borrower_id }),
  )
  const isDone = async (name: string) => {
    const { rows } = await context.database.pool.query('select from jobs where name = $1', [name])
    return rows.length === 0
  }
  await until(() => isDone('review_lateness'), 10_000)
  hanging.resolve()
  await until(() => isDone('send_mail'))
})

test('a mandate is rendered when first read, and stays the same', async () => {
  const borrower_id = await signedBorrower()
  const { data } = await app.client.listRepaymentMethods({ borrower_id })
  const address = data[0]!.mandate!.document_url!
  const read = async () => Buffer.from(await (await fetch(address)).arrayBuffer())
  const [first, second] = await Promise.all([read(), read()])
  expect(first.subarray(0, 5).toString()).toBe('%PDF-')
  expect(second.equals(first)).toBe(true)
  expect((await read()).equals(first)).toBe(true)
})

test('no document is rendered while a connection is held', async () => {
  const paper = mandateDocument(mandateInput('FR', 'fr'))
  const drawing = transaction(app.context.database, { partners: '*', actor: 'service' }, () =>
    drawPdf(LENDER_ID, paper),
  )
  await expect(drawing).rejects.toThrow('outside of transactions')
})
