/**
 * One turn of the exchange with the bank: writes files, delivers them, receives files, reads
 * reports, and passes rejections on. Each step is stored before the next, so a turn that ends
 * anywhere is continued by the next one.
 */
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { LOCKS } from '../../../platform/db/locks.ts'
import { type SessionLock, trySessionLock } from '../../../platform/db/session-lock.ts'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { parisDay } from '../../../platform/kit/dates.ts'
import type { BankInbox, BankNews } from '../../ports/bank.ts'
import type { OrderFileWriter } from './order-file.ts'
import { readReports } from './read-reports.ts'
import { receiveFiles } from './receive-files.ts'
import { OWN_TABLES } from './received-store.ts'
import type { CutOffs } from './rules.ts'
import {
  lockFile,
  markReported,
  type Rejection,
  readBytes,
  readUndelivered,
  readUnreported,
  stepFile,
} from './store.ts'
import { type FileExchange, type FileTransport, UndeliverableError } from './transport/transport.ts'
import { underAlert } from './under-alert.ts'
import { writeDueFiles } from './write-files.ts'

export interface FileBankParts {
  readonly database: Database
  readonly inbox: BankInbox
  /** Our account at the bank, in canonical form. */
  readonly account_iban: string
  readonly writer: OrderFileWriter
  readonly cutOffs: CutOffs
  readonly files: FileExchange
}

/**
 * Returns the number of files and rejections handled; 0 at once if another process is exchanging
 * files. A step that fails does not keep the others from running; its error is thrown at the end.
 */
export async function exchangeFiles(parts: FileBankParts): Promise<number> {
  const { database, writer, cutOffs } = parts
  const count = await trySessionLock(database.pool, LOCKS.bank_files, async lock => {
    const steps = [
      () => writeDueFiles(database, writer, cutOffs),
      () => meetBank(parts, lock),
      () => readReports(database),
      () => reportRejections(parts),
    ]
    let done = 0
    const errors: unknown[] = []
    for (const step of steps) {
      try {
        done += await step()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'several steps failed')
    if (errors.length === 1) throw errors[0]
    return done
  })
  return count ?? 0
}

/** Delivers and receives over one connection. */
async function meetBank(parts: FileBankParts, lock: SessionLock): Promise<number> {
  const { database, files } = parts
  const alert = {
    kind: 'bank_unreachable',
    what: 'Files cannot be exchanged with the bank',
  } as const
  return underAlert(database, alert, () =>
    files.during(async transport => {
      const delivered = await deliverFiles(parts, transport, lock)
      return delivered + (await receiveFiles(database, transport))
    }),
  )
}

async function deliverFiles(
  parts: FileBankParts,
  transport: FileTransport,
  lock: SessionLock,
): Promise<number> {
  const { database } = parts
  const undelivered = await transaction(database, OWN_TABLES, readUndelivered)
  for (const { id, name } of undelivered) {
    // Another process may have taken over.
    await lock.check()
    const bytes = await transaction(database, OWN_TABLES, tx => readBytes(tx, id))
    try {
      await markDelivery(parts, id, await transport.deliver(name, bytes))
    } catch (error) {
      if (!(error instanceof UndeliverableError)) throw error
      const detail = `The file ${name} with orders was not delivered. ${error.message}`
      await transaction(database, OWN_TABLES, tx =>
        raiseAlert(tx, 'order_file_undelivered', id, detail),
      )
    }
  }
  return undelivered.length
}

async function markDelivery(
  { database, writer }: FileBankParts,
  id: string,
  outcome: 'delivered' | 'unknown',
): Promise<void> {
  const arrived = writer.profile.awaits_authorization ? 'deliver_for_authorisation' : 'deliver'
  await transaction(database, OWN_TABLES, async tx => {
    await stepFile(tx, await lockFile(tx, id), outcome === 'delivered' ? arrived : 'lose')
    if (outcome === 'delivered') await clearAlert(tx, 'order_file_undelivered', id)
  })
}

/** Passes rejections on until none is left. A repeated one has the same reference. */
async function reportRejections({ database, inbox, account_iban }: FileBankParts): Promise<number> {
  for (let count = 0; ; ) {
    const rejections = await transaction(database, OWN_TABLES, readUnreported)
    if (rejections.length === 0) return count
    await inbox.news(rejections.map(one => newsOf(one, account_iban)))
    const ids = rejections.map(({ payment_id }) => payment_id)
    await transaction(database, OWN_TABLES, tx => markReported(tx, ids))
    count += rejections.length
  }
}

function newsOf(rejection: Rejection, account_iban: string): BankNews {
  const { payment_id, amount, rejected_at, rejected_for, end_to_end_id, message_id } = rejection
  return {
    bank_reference: `rejected-${payment_id}`,
    account_iban,
    kind: 'REJECTED',
    payment_id,
    amount,
    direction: null,
    booked_on: parisDay(rejected_at),
    value_on: parisDay(rejected_at),
    reason_code: rejected_for,
    raw: { end_to_end_id, message_id },
  }
}
