/** The error of a bank file that cannot be read, with the reason for people. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
  /** The message that the file's namespace names, if that much could be read. */
  readonly message_name: string | null

  constructor(reason: string, message_name: string | null = null) {
    super(reason)
    this.message_name = message_name
  }
}
