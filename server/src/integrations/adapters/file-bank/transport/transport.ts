/** How files reach the bank and come back: the interface of a folder and of an SFTP server. */

export interface FileTransport {
  /**
   * Delivers a file, unless the bank's side has it. Repeating it with the same name and bytes is
   * safe. `unknown`: the file may have been delivered. Throws `UndeliverableError` if this file was
   * not delivered, and another error if nothing can be delivered now.
   */
  deliver(name: string, bytes: Uint8Array): Promise<'delivered' | 'unknown'>
  /** The names of complete incoming files, in order. */
  list(): Promise<string[]>
  /** Writes an incoming file to a local path. */
  fetch(name: string, path: string): Promise<void>
  /**
   * Moves an incoming file away, once it is stored. `sha256` is the hash of the stored bytes. A
   * file that has other bytes by now was replaced: it stays, to be read.
   */
  archive(name: string, sha256: string): Promise<void>
}

/** Where files are exchanged. */
export interface FileExchange {
  /** Runs `work` with a connection, which it closes in any case. */
  during<T>(work: (transport: FileTransport) => Promise<T>): Promise<T>
}

/** The bank's side does not take this file: operators must see why. */
export class UndeliverableError extends Error {
  override name = 'UndeliverableError'
}

export function otherBytes(name: string): UndeliverableError {
  return new UndeliverableError(`Another file is already there under the name ${name}`)
}
