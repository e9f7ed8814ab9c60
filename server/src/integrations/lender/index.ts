/**
 * The lender of a live deployment: a file with versions, each in force from a day on. At every
 * start the file is compared with the versions stored earlier. What was in force never changes, new
 * versions are stored, and from then on the database says who lends.
 */
import { readFileSync } from 'node:fs'
import { Lenders } from '../../platform/db/lenders.ts'
import type { Lender } from '../../platform/db/settings.ts'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { type Day, parisDay } from '../../platform/kit/dates.ts'
import { type FileVersion, type LenderFile, readLenderText } from './lender-file.ts'
import { type Change, planChange } from './rules.ts'
import { lockVersions, readStored, readVersions, storeVersions } from './store.ts'

export type { LenderFile } from './lender-file.ts'

/** Reads a lender's file and names all its faults. `banks` are those of live deployments. */
export function readLenderFile(
  path: string,
  banks: readonly string[],
  now: Date = new Date(),
): LenderFile {
  try {
    return readLenderText(readFileSync(path, 'utf8'), banks, parisDay(now))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return { versions: [], faults: [`${path} cannot be read (${code})`], adapters: {} }
  }
}

/** What is still open at the bank, in words; null if nothing is. */
export type OpenAtBank = (tx: Tx) => Promise<string | null>

/**
 * Stores what is new in the lender's file, and returns the versions and the one in force. Throws an
 * Error that names all faults. If the bank changes, `openAtBank` also keeps every process from
 * storing orders until the transaction ends. `bank` is the one that this process will open.
 */
export async function openLenders(
  database: Database,
  file: readonly FileVersion[],
  bank: string,
  openAtBank: OpenAtBank,
): Promise<{ lenders: Lenders; lender: Lender }> {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    await lockVersions(tx)
    const change = planChange(await readStored(tx), file, tx.today)
    const faults = [...change.faults, ...(await bankFaults(tx, change, openAtBank))]
    if (faults.length > 0) throw new Error(`HEADROOM_LENDER: ${faults.join('; ')}`)
    if (change.store.length + change.withdraw.length > 0) {
      await storeVersions(tx, change.store, change.withdraw)
    }
    const { revision, versions } = await readVersions(tx)
    const lenders = new Lenders(bank, revision, versions)
    return { lenders, lender: lenders.on(tx.today).lender }
  })
}

/** The faults that `openLenders` would throw at a first start. */
export function firstFaults(file: readonly FileVersion[], today: Day): readonly string[] {
  return planChange([], file, today).faults
}

/** The faults that `openLenders` would throw now. Writes nothing. */
export async function lenderFaults(
  tx: Tx,
  file: readonly FileVersion[],
  openAtBank: OpenAtBank,
): Promise<readonly string[]> {
  const change = planChange(await readStored(tx), file, tx.today)
  return [...change.faults, ...(await bankFaults(tx, change, openAtBank))]
}

async function bankFaults(tx: Tx, { bank }: Change, openAtBank: OpenAtBank): Promise<string[]> {
  const open = bank && (await openAtBank(tx))
  if (!bank || !open) return []
  return [
    `versions: the bank changes from ${bank.from} to ${bank.to} while ${open} there: take the ` +
      `version out, stop payouts and collections, and add it again when ${bank.from} has ` +
      'reported on all of them',
  ]
}
