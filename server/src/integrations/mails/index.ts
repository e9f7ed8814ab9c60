/**
 * Mails: stored in the transaction that causes them and sent by a job after the commit. In a
 * sandbox they stay in the mailbox. A mail is sent, refused for good by the mail server, or still
 * waiting to be sent; a refused one publishes `mail_refused`.
 */
export { areAllRefused } from './all-refused.ts'
export { type MailDraft, queueMails } from './queue-mails.ts'
export { sendMail } from './send-mail.ts'
