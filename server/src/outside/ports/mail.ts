/** What we ask of a mail server. */

export interface Mail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachments: readonly { readonly filename: string; readonly content: Buffer }[]
}

export interface MailPort {
  /** Sends once; `id` lets a repeated send be recognised. */
  send(mail: Mail): Promise<void>
}
