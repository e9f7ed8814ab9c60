/** The interface to a mail server. */

export interface Mail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachments: readonly { readonly filename: string; readonly content: Buffer }[]
}

export interface MailPort {
  /** Sends a mail once; `id` identifies repeated attempts. */
  send(mail: Mail): Promise<void>
}
