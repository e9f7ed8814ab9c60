/** Decides what an SMTP server's answer means for a mail. Pure. */
import type { NodemailerError } from 'nodemailer'
import type { MailOutcome } from '../../ports/mail.ts'

/** Permanent answers to the recipient or the message that need no enhanced status code. */
const ABOUT_MAIL = [550, 551, 552, 553, 556]
/**
 * Enhanced status codes (RFC 3463) about the address, the mailbox, the size or the content.
 * Routing, protocol and policy (5.4, 5.5, 5.7) concern all our mails, such as a denied relay or an
 * exhausted quota, and so do bad sender addresses (5.1.7, 5.1.8).
 */
const ENHANCED_ABOUT_MAIL = /^\d{3}[ -](5\.1\.(?![78]\b)|5\.2\.|5\.3\.4\b|5\.6\.)/
const ENHANCED = /^\d{3}[ -]5\.\d+\.\d+/
const TOO_LARGE = /^Message size larger than allowed/
const ANSWER_CHARACTERS_MAX = 300

/**
 * Only a permanent answer about this recipient or message refuses the mail. Anything that may be a
 * fault in our settings, which must not lose mails, or is temporary leaves the outcome unknown.
 */
export function outcomeOfError(error: unknown, message_id: string): MailOutcome {
  const failure = error as NodemailerError
  const { response, message } = failure
  return isAboutMail(failure)
    ? { state: 'refused', message_id, reason: excerpt(response ?? message) }
    : { state: 'unknown', why: excerpt(message) }
}

function isAboutMail({ code, command, response, responseCode, message }: NodemailerError): boolean {
  // The library compares the size with the server's limit before it sends.
  if (code === 'EMESSAGE' && response === undefined) return TOO_LARGE.test(message)
  // In answer to the sender's address, only the announced size is about the mail.
  if (command === 'MAIL FROM') return responseCode === 552
  if (code !== 'EMESSAGE' && code !== 'EENVELOPE') return false
  if (ENHANCED.test(response ?? '')) return ENHANCED_ABOUT_MAIL.test(response!)
  return ABOUT_MAIL.includes(responseCode ?? 0)
}

/** The beginning of a server's answer, on one line. */
function excerpt(answer: string): string {
  return answer.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, ANSWER_CHARACTERS_MAX)
}
