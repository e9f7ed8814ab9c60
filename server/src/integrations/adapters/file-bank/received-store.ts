/** The only SQL that writes the files received from the bank. */
import { bankFileMachine, type Status, type Trigger } from '@headroom/contract'
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { next } from '../../../platform/kit/machine.ts'

export const OWN_TABLES = { partners: '*', actor: 'bank' } as const
const READS = { partners: '*', read_only: true } as const

export interface NewBankFile {
  readonly name: string
  readonly sha256: string
  readonly size: number
  readonly message: string | null
}

/** Stores a file with its bytes, unless the same bytes are stored; returns whether it was new. */
export async function insertBankFile(
  tx: Tx,
  file: NewBankFile,
  openPieces: () => AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const id = tx.newId()
  const inserted = await tx.run(sql`
    insert into bank_files (id, name, sha256, size, message, state, received_at)
    values (${id}, ${file.name}, ${file.sha256}, ${file.size}, ${file.message},
      ${bankFileMachine.initial}, ${tx.now})
    on conflict (sha256) do nothing`)
  if (inserted === 0) return false
  let place = 0
  let size = 0
  for await (const bytes of openPieces()) {
    await tx.run(sql`
      insert into bank_file_pieces (bank_file_id, place, bytes)
      values (${id}, ${place}, ${Buffer.from(bytes)})`)
    place++
    size += bytes.length
  }
  assert(size === file.size, 'a file has the size that its hash was computed of')
  return true
}

export interface UnreadReport {
  readonly id: string
  readonly name: string
}

/** Status reports (pain.002) that were not read yet, oldest first. */
export async function readUnreadReports(tx: Tx): Promise<UnreadReport[]> {
  return tx.all(sql<UnreadReport>`
    select id, name from bank_files
    where state = 'RECEIVED' and message like 'pain.002.%' order by id`)
}

/** The bytes of a file, a piece at a time. */
export async function* readPieces(
  database: Database,
  bank_file_id: string,
): AsyncGenerator<Uint8Array, void, void> {
  for (let place = 0; ; place++) {
    const piece = await transaction(database, READS, tx =>
      tx.maybe(sql<{ bytes: Buffer }>`
        select bytes from bank_file_pieces
        where bank_file_id = ${bank_file_id} and place = ${place}`),
    )
    if (!piece) return
    yield piece.bytes
  }
}

/**
 * A file that comes again is read again if something in it was refused: the settings may have
 * changed since.
 */
export async function reopenRefused(tx: Tx, sha256: string): Promise<void> {
  const file = await tx.maybe(sql<{ id: string; state: Status<'bank_file'> }>`
    select f.id, f.state from bank_files f where f.sha256 = ${sha256} and (f.state = 'REFUSED'
      or f.state = 'READ' and exists (select from file_bank_statements s
        where s.bank_file_id = f.id and s.refused_for is not null)) for update`)
  if (!file) return
  await tx.run(sql`
    delete from file_bank_statements where bank_file_id = ${file.id} and refused_for is not null`)
  await tx.run(sql`
    update bank_files set state = ${next(bankFileMachine, file.state, 'reopen')}, refused_for = null
    where id = ${file.id}`)
}

/** Takes a received file's step; returns false if another reader took one before. */
export async function stepBankFile(
  tx: Tx,
  id: string,
  trigger: Exclude<Trigger<'bank_file'>, 'reopen'>,
  refused_for: string | null = null,
): Promise<boolean> {
  const from = bankFileMachine.initial
  const changed = await tx.run(sql`
    update bank_files set state = ${next(bankFileMachine, from, trigger)},
      refused_for = ${refused_for}
    where id = ${id} and state = ${from}`)
  return changed === 1
}
