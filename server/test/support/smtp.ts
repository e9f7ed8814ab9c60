/** A real SMTP server in this process, whose answers a test chooses. */
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import tls from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpSettings } from '../../src/config.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { closeAfterwards } from './closing.ts'

export const PASSWORD = 'a secret of this test'

export interface ReceivedMail {
  readonly to: readonly string[]
  readonly from: string
  readonly user: string | null
  readonly is_secure: boolean
  /** Lines end with CRLF; header lines are unfolded. */
  readonly headers: readonly string[]
  readonly raw: string
}

/** What the server does with the next mail. It hangs, or closes the connection, after the text. */
type Answer = { readonly at: 'from' | 'to' | 'text'; readonly says: string } | 'lose' | 'hang'

export interface TestSmtpServer {
  readonly settings: SmtpSettings
  /** Every mail whose text arrived, also if it was refused afterwards. */
  readonly received: ReceivedMail[]
  /** Answers to the next mails; without one, mails are accepted. */
  readonly answers: Answer[]
  openConnections(): number
  close(): Promise<void>
}

/** Trusts the server's certificate until the file's tests end. */
export function trustCertificate(): void {
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, CERTIFICATE])
  closeAfterwards(async () => tls.setDefaultCACertificates(trusted))
}

export async function smtpServer(
  security: SmtpSettings['security'],
  options: SMTPServerOptions & { port?: number } = {},
): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = []
  const answers: Answer[] = []
  const refusal = (at: string) => {
    const [answer] = answers
    if (typeof answer !== 'object' || answer.at !== at) return null
    answers.shift()
    const [, code, text] = /^(\d+) (.*)$/.exec(answer.says)!
    return Object.assign(new Error(text), { responseCode: Number(code) })
  }
  const server = new SMTPServer({
    secure: security === 'tls',
    key: KEY,
    cert: CERTIFICATE,
    disabledCommands: security === 'none' ? ['STARTTLS', 'AUTH'] : [],
    authOptional: security === 'none',
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 1,
    onAuth: ({ username, password }, _, done) =>
      password === PASSWORD ? done(null, { user: username }) : done(new Error('wrong password')),
    onMailFrom: (_, __, done) => done(refusal('from')),
    onRcptTo: (_, __, done) => done(refusal('to')),
    onData: async (stream, { id, envelope, user, secure }, done) => {
      const raw = (await buffer(stream)).toString('latin1')
      received.push({
        to: envelope.rcptTo.map(({ address }) => address),
        from: (envelope.mailFrom as { address: string }).address,
        user: user ?? null,
        is_secure: secure,
        headers: raw
          .split('\r\n\r\n')[0]!
          .replace(/\r\n[ \t]+/g, ' ')
          .split('\r\n'),
        raw,
      })
      if (answers[0] === 'hang') return answers.shift()
      if (answers[0] !== 'lose') return done(refusal('text'))
      answers.shift()
      for (const connection of server.connections) if (connection.id === id) connection.close()
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const close = () => new Promise<void>(resolve => server.close(() => resolve()))
  closeAfterwards(close)
  const settings: SmtpSettings = {
    host: 'localhost',
    port: (server.server.address() as AddressInfo).port,
    security,
    login: security === 'none' ? null : { user: 'lender', password: PASSWORD },
    sender: { address: 'billing@lender.example', name: 'Prêteur & Cie' },
  }
  return { settings, received, answers, openConnections: () => server.connections.size, close }
}

export function headerOf({ headers }: ReceivedMail, name: string): string | undefined {
  const start = `${name.toLowerCase()}: `
  return headers.find(line => line.toLowerCase().startsWith(start))?.slice(start.length)
}

/** A header's text, with its encoded words (RFC 2047) decoded. */
export function decoded(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : unquoted(text.replaceAll('_', ' ')),
    )
}

function unquoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}

/** The text of a mail and the bytes of its attachments. */
export function partsOf({ raw }: ReceivedMail): { text: string; attachments: Buffer[] } {
  const boundary = /boundary="(.+?)"/.exec(raw)?.[1]
  const parts = boundary ? raw.split(`--${boundary}`).slice(1, -1) : [raw]
  const bodies = parts.map(part => {
    const [head, ...body] = part.split('\r\n\r\n')
    return { head: head!, body: body.join('\r\n\r\n') }
  })
  const text = unquoted(bodies[0]!.body.replaceAll('=\r\n', '')).replaceAll('\r\n', '\n')
  const files = bodies.filter(({ head }) => /^content-disposition: attachment/im.test(head))
  return { text, attachments: files.map(({ body }) => Buffer.from(body, 'base64')) }
}
