/**
 * Mails: stored in the transaction that causes them and sent by a job after the commit. In a
 * sandbox they stay in the mailbox.
 */
export { type MailDraft, queueMails, queueManyMails } from './queue-mails.ts'
export { sendMail } from './send-mail.ts'
