/** The interface to a mail server. */

export interface Mail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachments: readonly { readonly filename: string; readonly content: Buffer }[]
}

/**
 * `message_id` is the Message-ID header, the same for each attempt; null without one. `refused` is
 * final: the server will never accept this mail or its recipient. `unknown` covers everything else,
 * and the mail is sent again; `why` is for the log.
 */
export type MailOutcome =
  | { readonly state: 'sent'; readonly message_id: string | null }
  | { readonly state: 'refused'; readonly message_id: string | null; readonly reason: string }
  | { readonly state: 'unknown'; readonly why: string }

export interface MailPort {
  /** Sends a mail; `id` identifies repeated attempts. Does not throw. */
  send(mail: Mail): Promise<MailOutcome>
}
