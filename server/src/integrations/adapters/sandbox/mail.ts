/** The sandbox mail server: mails stay in the mailbox, and none leaves the machine. */
import type { MailPort } from '../../ports/mail.ts'

/** Accepts every mail and does nothing: the mailbox shows the record of sent mails. */
export function sandboxMail(): MailPort {
  return { send: async () => {} }
}
