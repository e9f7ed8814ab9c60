/**
 * One turn of the exchange with the bank: writes files, delivers them, receives files, reads
 * reports and statements, and passes on what they say. Each step is stored before the next, so a
 * turn that ends anywhere is continued by the next one.
 */
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { LOCKS } from '../../../platform/db/locks.ts'
import { type SessionLock, trySessionLock } from '../../../platform/db/session-lock.ts'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { parisDay } from '../../../platform/kit/dates.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import type { BankInbox, BankNews } from '../../ports/bank.ts'
import type { BankAdapterContext } from '../../ports/bank-adapter.ts'
import { decideStatements } from './decide-entries.ts'
import { throwAll } from './do-each.ts'
import type { OrderFileWriter } from './order-file.ts'
import { readReports } from './read-reports.ts'
import { readStatements } from './read-statements.ts'
import { receiveFiles } from './receive-files.ts'
import { OWN_TABLES } from './received-store.ts'
import type { CutOffs } from './rules.ts'
import {
  countDelivery,
  lockFile,
  markReported,
  type Rejection,
  readBytes,
  readUndelivered,
  readUnreported,
  stepFile,
} from './store.ts'
import { tellStatements } from './tell-statements.ts'
import { type FileExchange, type FileTransport, UndeliverableError } from './transport/transport.ts'
import { writeDueFiles } from './write-files.ts'

export interface FileBankParts {
  readonly database: Database
  readonly inbox: BankInbox
  readonly writer: OrderFileWriter
  readonly cutOffs: CutOffs
  readonly files: FileExchange
  readonly heldOrders: BankAdapterContext['heldOrders']
  readonly isOurIban: BankAdapterContext['isOurIban']
}

/**
 * Returns the number of files and rejections handled; 0 at once if another process is exchanging
 * files. A step that fails does not keep the others from running; its error is thrown at the end.
 */
export async function exchangeFiles(parts: FileBankParts): Promise<number> {
  const { database } = parts
  const count = await trySessionLock(database.pool, LOCKS.bank_files, async lock => {
    const steps = [
      () => writeDueFiles(parts),
      () => meetBank(parts, lock),
      () => readReports(database),
      () => reportRejections(parts),
      () => readStatements(database),
      () => decideStatements(parts),
      () => tellStatements(parts),
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
    throwAll(errors)
    return done
  })
  return count ?? 0
}

/** Delivers and receives over one connection. A failure is an alert until an exchange succeeds. */
async function meetBank(parts: FileBankParts, lock: SessionLock): Promise<number> {
  const { database, files } = parts
  try {
    const done = await files.during(async transport => {
      const delivered = await deliverFiles(parts, transport, lock)
      return delivered + (await receiveFiles(database, transport))
    })
    await transaction(database, OWN_TABLES, tx => clearAlert(tx, 'bank_unreachable', LENDER_ID))
    return done
  } catch (error) {
    const detail = `Files cannot be exchanged with the bank: ${(error as Error).message}`
    await transaction(database, OWN_TABLES, tx =>
      raiseAlert(tx, 'bank_unreachable', LENDER_ID, detail),
    )
    throw error
  }
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
    const bytes = await transaction(database, OWN_TABLES, async tx => {
      await countDelivery(tx, id, 1)
      return readBytes(tx, id)
    })
    try {
      await markDelivery(parts, id, await transport.deliver(name, bytes))
    } catch (error) {
      if (!(error instanceof UndeliverableError)) throw error
      const detail = `The file ${name} with orders was not delivered. ${error.message}`
      await transaction(database, OWN_TABLES, async tx => {
        await countDelivery(tx, id, -1)
        await raiseAlert(tx, 'order_file_undelivered', id, detail)
      })
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
async function reportRejections({ database, inbox }: FileBankParts): Promise<number> {
  for (let count = 0; ; ) {
    const { rejections, accounts } = await transaction(database, OWN_TABLES, async tx => {
      return { rejections: await readUnreported(tx), accounts: tx.settings.bank_accounts }
    })
    if (rejections.length === 0) return count
    await inbox.news(rejections.map(one => newsOf(one, accounts[one.account].iban)))
    const ids = rejections.map(({ payment_id }) => payment_id)
    await transaction(database, OWN_TABLES, tx => markReported(tx, ids))
    count += rejections.length
  }
}

function newsOf(rejection: Rejection, account_iban: string): BankNews {
  const { payment_id, amount, rejected_at, rejected_for, end_to_end_id, message_id } = rejection
  return {
    // An order that is submitted again is refused under the same reference.
    bank_reference: `${message_id === null ? 'refused' : 'rejected'}-${payment_id}`,
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
