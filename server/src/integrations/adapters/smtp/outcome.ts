/** Decides what an SMTP server's answer means for a mail. Pure. */
import type { NodemailerError } from 'nodemailer'
import type { MailOutcome } from '../../ports/mail.ts'

/** Permanent answers about our session or login rather than about the mail. */
const ABOUT_US = [503, 530, 534, 535, 538]
const ANSWER_CHARACTERS_MAX = 300

/**
 * A permanent answer to the recipient or the message refuses the mail. One to the login or the
 * sender is a fault in our settings, which must not lose mails; it and everything temporary leaves
 * the outcome unknown.
 */
export function outcomeOfError(error: unknown, message_id: string): MailOutcome {
  const { code, command, response, responseCode = 0, message } = error as NodemailerError
  const isAboutMail = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM')
  const isPermanent = responseCode >= 500 && responseCode <= 599
  if (isAboutMail && isPermanent && !ABOUT_US.includes(responseCode)) {
    return { state: 'refused', message_id, reason: excerpt(response ?? message) }
  }
  return { state: 'unknown', why: excerpt(message) }
}

/** The beginning of a server's answer, on one line. */
function excerpt(answer: string): string {
  return answer.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, ANSWER_CHARACTERS_MAX)
}
