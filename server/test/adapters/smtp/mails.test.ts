/** Mails of a running service that is connected to a real SMTP server. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { queueMails } from '../../../src/integrations/mails/index.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { createOperatorSession, signIn } from '../../support/console.ts'
import { lend } from '../../support/money.ts'
import {
  headerOf,
  PASSWORD,
  partsOf,
  smtpServer,
  type TestSmtpServer,
  trustCertificate,
} from '../../support/smtp.ts'
import { readyBorrower } from '../../support/story.ts'
import { until } from '../../support/until.ts'

/** The service is cut off after 25 seconds. */
const STOP_MS_MAX = 20_000
const SECRET_TEXT = 'the text of this mail is private'

let app: TestApp
let server: TestSmtpServer
const lines: string[] = []

beforeAll(async () => {
  trustCertificate()
  server = await smtpServer('starttls')
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'trace' }, stream)
  app = await testApp({ config: { smtp: server.settings }, log })
})

/** Queues a mail; returns its id. */
async function queue(to: string): Promise<string> {
  const { database } = app.context
  const draft = { subject: 'A notice', text: SECRET_TEXT, document_ids: [] }
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    queueMails(tx, [{ partner_id: app.partner_id, recipients: [to], draft }]),
  )
  return (await mailTo(to)).id
}

interface MailRow {
  id: string
  sent_at: Date | null
  refused_at: Date | null
  refused_because: string | null
  message_id: string | null
}

async function mailTo(to: string): Promise<MailRow> {
  const { rows } = await app.context.database.pool.query<MailRow>(
    'select * from mails where recipient = $1',
    [to],
  )
  return rows[0]!
}

const arrived = (to: string) => server.received.filter(mail => mail.to.includes(to))

test('a contract arrives by mail with the bytes that the interface shows', async () => {
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 100_000 })
  const mail = await until(() => server.received.find(one => partsOf(one).attachments.length > 0))
  const [to] = mail.to
  await until(async () => (await mailTo(to!)).sent_at)
  const { data } = await app.client.listSandboxMailbox({ to: to! })
  const files = data.flatMap(one => one.attachments.map(file => file.content_base64))
  const { attachments } = partsOf(mail)
  expect(attachments[0]!.subarray(0, 5).toString()).toBe('%PDF-')
  expect(files).toContain(attachments[0]!.toString('base64'))
})

test('a mail is tried again until it is sent, with one Message-ID', async () => {
  server.answers.push({ at: 'text', says: '451 4.3.0 Try again' }, 'lose')
  const id = await queue('again@borrower.example')
  const message_id = `<${id}@lender.example>`
  const mail = await until(async () => {
    const row = await mailTo('again@borrower.example')
    return row.sent_at && row
  })
  expect(mail).toMatchObject({ message_id, refused_at: null })
  const ids = arrived('again@borrower.example').map(one => headerOf(one, 'Message-ID'))
  expect(ids).toEqual(Array(3).fill(message_id))
})

test('a refused mail is not tried again, and the interface says that it was refused', async () => {
  server.answers.push({ at: 'to', says: '550 5.1.1 No such user here' })
  const id = await queue('nobody@borrower.example')
  const mail = await until(async () => {
    const row = await mailTo('nobody@borrower.example')
    return row.refused_at && row
  })
  expect(mail).toMatchObject({ sent_at: null, message_id: `<${id}@lender.example>` })
  const { rows } = await app.context.database.pool.query(
    "select from jobs where name = 'send_mail' and data->>'mail_id' = $1",
    [id],
  )
  expect(rows).toEqual([])
  expect(arrived('nobody@borrower.example')).toEqual([])
  const { data } = await app.client.listSandboxMailbox({ to: 'nobody@borrower.example' })
  expect(data).toMatchObject([
    { sent_at: null, refused_because: expect.stringContaining('550 5.1.1 No such user here') },
  ])
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'reviewer' })
  const ana = await signIn(app, 'ana@lender.example')
  const { data: alerts } = await ana.admin('listAlerts')
  expect(alerts).toMatchObject([
    {
      kind: 'mail_refused',
      subject_id: app.partner_id,
      detail: expect.stringContaining('nobody@borrower.example: 550 5.1.1 No such user here'),
    },
  ])
})

test('while the server is down, other work goes on and no mail is lost', async () => {
  const { port } = server.settings
  await server.close()
  const id = await queue('patient@borrower.example')
  const failed = () =>
    app.context.database.pool.query(
      "select from jobs where data->>'mail_id' = $1 and failures > 0",
      [id],
    )
  await until(async () => (await failed()).rowCount)
  // A business day does not wait for the mail server.
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await mailTo('patient@borrower.example')).toMatchObject({ sent_at: null })
  server = await smtpServer('starttls', { port })
  await until(async () => (await mailTo('patient@borrower.example')).sent_at)
  expect(arrived('patient@borrower.example')).toHaveLength(1)
})

test('the service stops although the mail server hangs, and the mail is kept', async () => {
  const slow = await smtpServer('none')
  slow.answers.push('hang')
  const own = await testApp({ config: { smtp: slow.settings } })
  const { database } = own.context
  const draft = { subject: 'A notice', text: SECRET_TEXT, document_ids: [] }
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    queueMails(tx, [{ partner_id: own.partner_id, recipients: ['a@b.example'], draft }]),
  )
  await until(() => slow.received.length === 1)
  const started = performance.now()
  await own.context.worker.stop()
  expect(performance.now() - started).toBeLessThan(STOP_MS_MAX)
  const { rows } = await database.pool.query("select failures from jobs where name = 'send_mail'")
  expect(rows).toEqual([{ failures: 1 }])
})

test('neither the password nor the text of a mail is logged', () => {
  const log = lines.join('')
  expect(log).toContain('451 4.3.0 Try again')
  expect(log).not.toContain(PASSWORD)
  expect(log).not.toContain(Buffer.from(PASSWORD).toString('base64'))
  expect(log).not.toContain(SECRET_TEXT)
})
