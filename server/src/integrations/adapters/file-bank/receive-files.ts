/** Fetches the bank's files and stores each once, before it is moved away. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { readBankFile } from '../../bank-files/reading/read-bank-file.ts'
import { UnreadableFile } from '../../bank-files/reading/unreadable.ts'
import { insertBankFile, type NewBankFile, OWN_TABLES, reopenRefused } from './received-store.ts'
import type { FileTransport } from './transport/transport.ts'

const PIECE_BYTES = 1_048_576

/**
 * Returns how many files were fetched, including those that were stored before. One that cannot be
 * fetched does not keep the others back; its error is thrown at the end.
 */
export async function receiveFiles(database: Database, transport: FileTransport): Promise<number> {
  const names = await transport.list()
  const errors: unknown[] = []
  for (const name of names) {
    await receiveFile(database, transport, name).catch(error => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
  return names.length
}

async function receiveFile(
  database: Database,
  transport: FileTransport,
  name: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'headroom-bank-file-'))
  try {
    const path = join(folder, 'file')
    await transport.fetch(name, path)
    const file = await describe(name, path)
    await transaction(database, OWN_TABLES, async tx => {
      const is_new = await insertBankFile(tx, file, () => piecesOf(path))
      if (!is_new) await reopenRefused(tx, file.sha256)
    })
    await transport.archive(name, file.sha256)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function piecesOf(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: PIECE_BYTES })
}

async function describe(name: string, path: string): Promise<NewBankFile> {
  const hash = createHash('sha256')
  let size = 0
  for await (const bytes of piecesOf(path)) {
    hash.update(bytes)
    size += bytes.length
  }
  return { name, size, sha256: hash.digest('hex'), message: await messageOf(path) }
}

/** The message that the file contains; null if its beginning cannot be read. */
async function messageOf(path: string): Promise<string | null> {
  try {
    for await (const item of readBankFile(piecesOf(path))) {
      if (item.kind === 'message') return item.name
    }
    return null
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return error.message_name
  }
}
