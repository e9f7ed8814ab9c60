/** The sandbox mail server: a mail is sent by being in the mailbox, and nothing leaves the machine. */
import { sql } from 'kysely'
import { type Database, transaction } from '../../db/transaction.ts'
import type { MailPort } from '../../ports/mail.ts'

export function sandboxMail({ database }: { database: Database }): MailPort {
  return {
    async send({ id }) {
      await transaction(database, { partners: '*' }, tx =>
        tx.run(sql`update mails set sent_at = ${tx.now} where id = ${id} and sent_at is null`),
      )
    },
  }
}
