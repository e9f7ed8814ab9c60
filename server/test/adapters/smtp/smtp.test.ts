/** Mails through a real SMTP server: what arrives, and what each answer of the server means. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { smtpMail } from '../../../src/integrations/adapters/smtp/mail.ts'
import type { Mail } from '../../../src/integrations/ports/mail.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { closeAfterwards } from '../../support/closing.ts'
import {
  decoded,
  headerOf,
  PASSWORD,
  partsOf,
  smtpServer,
  type TestSmtpServer,
  trustCertificate,
} from '../../support/smtp.ts'
import { until } from '../../support/until.ts'

beforeAll(() => trustCertificate())

function portOf({ settings }: Pick<TestSmtpServer, 'settings'>, send_ms_max?: number) {
  const stopping = new AbortController()
  closeAfterwards(async () => stopping.abort())
  return { port: smtpMail(settings, stopping.signal, send_ms_max), stopping }
}

const mailTo = (to: string, more: Partial<Mail> = {}): Mail => ({
  id: newId(),
  to,
  subject: 'Bill HR-2027-1',
  text: 'You owe 12 euros.\n',
  attachments: [],
  ...more,
})

test.each(['tls', 'starttls', 'none'] as const)('security %s: sent', async security => {
  const server = await smtpServer(security)
  const { port } = portOf(server)
  const mail = mailTo('ada@borrower.example')
  const message_id = `<${mail.id}@lender.example>`
  expect(await port.send(mail)).toEqual({ state: 'sent', message_id })
  const [received] = server.received
  const is_secure = security !== 'none'
  const user = is_secure ? 'lender' : null
  const from = 'billing@lender.example'
  expect(received).toMatchObject({ to: ['ada@borrower.example'], from, is_secure, user })
  expect(headerOf(received!, 'Message-ID')).toBe(message_id)
})

test('subject, sender, text and attachments arrive as they are', async () => {
  const server = await smtpServer('tls')
  const { port } = portOf(server)
  const subject = `Échéance du prêt – ${'très '.repeat(30)}proche €`
  const text = `Bonjour,\n.\n..point\n${'é'.repeat(2_000)}\n=3D From here\n`
  const contents = [randomBytes(300_000), Buffer.from('\r\n.\r\n%PDF')]
  const attachments = contents.map((content, n) => ({ filename: `Échéancier ${n}.pdf`, content }))
  const to = 'ada@borrower.example'
  await expect(port.send(mailTo(to, { subject, text, attachments }))).resolves.toMatchObject({
    state: 'sent',
  })
  const [mail] = server.received
  expect(decoded(headerOf(mail!, 'Subject')!)).toBe(subject)
  expect(decoded(headerOf(mail!, 'From')!)).toContain('Prêteur & Cie')
  expect(headerOf(mail!, 'From')).toContain('<billing@lender.example>')
  const parts = partsOf(mail!)
  expect(parts.text.trimEnd()).toBe(text.trimEnd())
  expect(parts.attachments).toHaveLength(2)
  for (const [n, content] of contents.entries()) {
    expect(parts.attachments[n]!.equals(content)).toBe(true)
  }
})

test.each([
  ['to', '550 5.1.1 No such user', 'refused'],
  ['to', '501 5.1.3 Bad address', 'refused'],
  ['text', '554 5.6.0 Message is spam', 'refused'],
  ['text', '552 5.3.4 Message too large', 'refused'],
  ['to', '550 No such user', 'refused'],
  ['from', '552 5.3.4 Message too large', 'refused'],
  ['from', '550 5.7.1 You may not send as this', 'unknown'],
  ['to', '550 5.7.1 Relay access denied', 'unknown'],
  ['to', '550 5.4.5 Daily quota exceeded', 'unknown'],
  ['to', '553 5.1.8 Bad sender', 'unknown'],
  ['text', '554 Address is not verified', 'unknown'],
  ['text', '554 5.7.1 Blocked for now', 'unknown'],
  ['to', '530 5.7.0 Log in first', 'unknown'],
  ['to', '450 4.2.1 Mailbox busy', 'unknown'],
  ['text', '451 4.3.0 Try again', 'unknown'],
  ['to', '421 4.3.2 Shutting down', 'unknown'],
] as const)('at %s, %s: %s', async (at, says, state) => {
  const server = await smtpServer('tls')
  const { port } = portOf(server)
  const mail = mailTo('ada@borrower.example')
  server.answers.push({ at, says })
  const message_id = `<${mail.id}@lender.example>`
  const text = expect.stringContaining(says.slice(4))
  expect(await port.send(mail)).toEqual(
    state === 'refused' ? { state, message_id, reason: text } : { state, why: text },
  )
  // The same mail, and thus its connection, can be used again.
  expect(await port.send(mail)).toEqual({ state: 'sent', message_id })
  for (const one of server.received) expect(headerOf(one, 'Message-ID')).toBe(message_id)
})

test('a connection lost before the answer: unknown, and sent again with the same id', async () => {
  const server = await smtpServer('tls')
  const { port } = portOf(server)
  const mail = mailTo('ada@borrower.example')
  server.answers.push('lose')
  expect(await port.send(mail)).toMatchObject({ state: 'unknown' })
  expect(server.received).toHaveLength(1)
  expect(await port.send(mail)).toMatchObject({ state: 'sent' })
  const ids = server.received.map(one => headerOf(one, 'Message-ID'))
  expect(ids).toEqual(Array(2).fill(`<${mail.id}@lender.example>`))
})

test('a server that is down or hangs: unknown, within the time limit', async () => {
  const server = await smtpServer('tls')
  const { port } = portOf(server, 500)
  server.answers.push('hang')
  const started = performance.now()
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'unknown' })
  expect(performance.now() - started).toBeLessThan(5_000)
  // The hanging connection is closed, and another one works.
  await until(() => server.openConnections() === 0)
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'sent' })
  await server.close()
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'unknown' })
})

test('a wrong password: unknown, without the password in the reason', async () => {
  const server = await smtpServer('starttls')
  const login = { user: 'lender', password: 'wrong and secret' }
  const { port } = portOf({ settings: { ...server.settings, login } })
  const outcome = await port.send(mailTo('a@b.example'))
  expect(outcome).toEqual({ state: 'unknown', why: expect.stringContaining('535') })
  expect(JSON.stringify(outcome)).not.toContain('secret')
  expect(server.received).toEqual([])
})

test('nothing is sent without encryption, or without the login that is set', async () => {
  const plain = await smtpServer('none')
  for (const security of ['tls', 'starttls'] as const) {
    const login = { user: 'lender', password: PASSWORD }
    const { port } = portOf({ settings: { ...plain.settings, security, login } })
    expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'unknown' })
  }
  const login = { user: 'lender', password: PASSWORD }
  const { port } = portOf({ settings: { ...plain.settings, login } })
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'unknown' })
  expect(plain.received).toEqual([])
})

test('a certificate of another host is not accepted', async () => {
  const server = await smtpServer('tls')
  const { port } = portOf({ settings: { ...server.settings, host: '127.0.0.2' } })
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'unknown' })
  expect(server.received).toEqual([])
})

test('subject, names and addresses add no header and no recipient', async () => {
  const server = await smtpServer('none')
  const evil = 'x\r\nBcc: eve@evil.example\r\n\r\nInjected\u2028\n\rX-Evil: 1'
  const sender = { address: 'billing@lender.example', name: evil }
  const { port } = portOf({ settings: { ...server.settings, sender } })
  const attachments = [{ filename: `${evil}.pdf`, content: Buffer.from('%PDF') }]
  const sent = await port.send(mailTo('a@b.example', { subject: evil, attachments }))
  expect(sent).toMatchObject({ state: 'sent' })
  const [mail] = server.received
  expect(mail!.to).toEqual(['a@b.example'])
  const names = mail!.headers.map(line => line.split(':')[0]!.toLowerCase())
  expect(names.filter(name => name === 'subject' || name === 'from')).toHaveLength(2)
  expect(names).not.toContain('bcc')
  // Nor are line breaks hidden in encoded words, which some readers decode before they split lines.
  const oneLine = 'x Bcc: eve@evil.example Injected X-Evil: 1'
  expect(decoded(headerOf(mail!, 'Subject')!)).toBe(oneLine)
  expect(decoded(headerOf(mail!, 'From')!)).toContain(oneLine)
  expect(mail!.raw).not.toMatch(/^(bcc|x-evil|injected)/im)
  const addresses = [
    'a@b.example\r\nBcc: eve@evil.example',
    'a@b.example>\r\nRCPT TO:<eve@evil.example',
    'a@b.example, eve@evil.example',
    'Eve <eve@evil.example>',
    '"eve@evil.example" a@b.example',
    'no address',
    '',
  ]
  for (const to of addresses) {
    expect(await port.send(mailTo(to))).toMatchObject({ state: 'refused' })
  }
  expect(server.received).toHaveLength(1)
})

test('many mails at once use at most three connections', async () => {
  let most = 0
  const server = await smtpServer('none', {
    onMailFrom: (_, __, done) => {
      most = Math.max(most, server.openConnections())
      done()
    },
  })
  const { port } = portOf(server)
  const mails = Array.from({ length: 20 }, () => mailTo('a@b.example'))
  const outcomes = await Promise.all(mails.map(mail => port.send(mail)))
  expect(outcomes.map(one => one.state)).toEqual(Array(20).fill('sent'))
  expect(most).toBe(3)
})

test('at shutdown idle connections close, and a hanging attempt ends', async () => {
  const server = await smtpServer('none')
  const { port, stopping } = portOf(server)
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'sent' })
  server.answers.push('hang')
  const hanging = port.send(mailTo('a@b.example'))
  await until(() => server.received.length === 2)
  const started = performance.now()
  stopping.abort()
  expect(await hanging).toMatchObject({ state: 'unknown' })
  expect(performance.now() - started).toBeLessThan(10_000)
  await until(() => server.openConnections() === 0)
  expect(await port.send(mailTo('a@b.example'))).toMatchObject({ state: 'unknown' })
  expect(server.received).toHaveLength(2)
})
