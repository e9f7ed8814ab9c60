/** Sends mails through an SMTP server. */
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { SmtpSettings } from '../../../config.ts'
import { isMailAddress } from '../../../platform/kit/mail-address.ts'
import type { Mail, MailPort } from '../../ports/mail.ts'
import { outcomeOfError } from './outcome.ts'

const CONNECTIONS_MAX = 3
/** Shorter than the lease of the mail's job, so that no other process sends the mail meanwhile. */
const SEND_MS_MAX = 15_000
const STEP_MS_MAX = 10_000
const IDLE_MS_MAX = 30_000
/** How long mails may still be sent after shutdown begins. */
const STOP_MS_MAX = 5_000

/**
 * Closes its connections once `stopping` is aborted. `send_ms_max` limits an attempt, which ends as
 * `unknown` if it takes longer.
 */
export function smtpMail(
  settings: SmtpSettings,
  stopping: AbortSignal,
  send_ms_max: number = SEND_MS_MAX,
): MailPort {
  const domain = settings.sender.address.split('@')[1]!
  const transport = openTransport(settings, domain)
  const whenAborted = (signal: AbortSignal, act: () => void) =>
    signal.addEventListener('abort', act, { once: true })
  whenAborted(stopping, () => {
    transport.close()
    whenAborted(AbortSignal.timeout(STOP_MS_MAX), () => transport.close({ force: true }))
  })
  return {
    send: async mail => {
      const message_id = `<${mail.id}@${domain}>`
      if (!isMailAddress(mail.to)) {
        return { state: 'refused', message_id, reason: 'This is not an e-mail address.' }
      }
      try {
        const signal = AbortSignal.timeout(send_ms_max)
        await transport.sendMail({ ...messageOf(mail, settings), messageId: message_id, signal })
        return { state: 'sent', message_id }
      } catch (error) {
        return outcomeOfError(error, message_id)
      }
    },
  }
}

function openTransport({ host, port, security, login }: SmtpSettings, name: string) {
  return createTransport({
    pool: true,
    host,
    port,
    name,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    // Otherwise a server that offers no login would get the mails without one.
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    maxConnections: CONNECTIONS_MAX,
    // Replaces a connection that the server closed while it was idle. Other attempts are jobs.
    maxRequeues: 1,
    idleTimeout: IDLE_MS_MAX,
    dnsTimeout: STEP_MS_MAX,
    connectionTimeout: STEP_MS_MAX,
    greetingTimeout: STEP_MS_MAX,
    socketTimeout: SEND_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** The message. Addresses are objects, so that nothing in them is parsed as a list or a name. */
function messageOf(mail: Mail, { sender }: SmtpSettings): SendMailOptions {
  return {
    envelope: { from: sender.address, to: [mail.to] },
    from: { name: oneLine(sender.name), address: sender.address },
    to: { name: '', address: mail.to },
    subject: oneLine(mail.subject),
    text: mail.text,
    textEncoding: 'quoted-printable',
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: mail.attachments.map(({ filename, content }) => ({
      filename: oneLine(filename),
      content,
      contentType: 'application/pdf',
    })),
  }
}

/** The text without line breaks and other control characters, which could begin another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
