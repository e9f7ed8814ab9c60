/** The sandbox mail server: mails stay in the mailbox, and none leaves the machine. */
import type { MailPort } from '../../ports/mail.ts'

/** Mails to `refused@` any domain are refused, to show what follows from a wrong address. */
const REFUSED = /^refused@/i

/**
 * Accepts or refuses every mail and does nothing else: the mailbox shows the record of mails.
 */
export function sandboxMail(): MailPort {
  return {
    send: async ({ to }) =>
      REFUSED.test(to)
        ? { state: 'refused', message_id: null, reason: `550 5.1.1 ${to}: no such mailbox` }
        : { state: 'sent', message_id: null },
  }
}
