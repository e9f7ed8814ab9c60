/**
 * The lender of a live deployment: a file with versions, each in force from a day on. At every
 * start the file is compared with the versions stored earlier. What was in force never changes, new
 * versions are stored, and from then on the database says who lends.
 */
import { readFileSync } from 'node:fs'
import { recordAudit } from '../../platform/access/index.ts'
import { Lenders } from '../../platform/db/lenders.ts'
import type { Lender } from '../../platform/db/settings.ts'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { type Day, parisDay } from '../../platform/kit/dates.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { type LenderFile, readLenderText } from './lender-file.ts'
import { type Change, planChange, type StoredVersion } from './rules.ts'
import { lockVersions, readStored, readVersions, storeVersions } from './store.ts'

export type { LenderFile } from './lender-file.ts'
export { readStoredAdapters } from './store.ts'

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
    const faults = [`${path} cannot be read (${code})`]
    return { versions: [], withdrawn: [], faults, adapters: {} }
  }
}

interface InForce {
  readonly lenders: Lenders
  readonly lender: Lender
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
  file: LenderFile,
  bank: string,
  openAtBank: OpenAtBank,
): Promise<InForce & { readonly changes: readonly VersionChange[] }> {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    await lockVersions(tx)
    const change = changeOf(tx, await readStored(tx), file)
    const faults = [...change.faults, ...(await bankFaults(tx, change, openAtBank))]
    if (faults.length > 0) throw new Error(`HEADROOM_LENDER: ${faults.join('; ')}`)
    if (change.store.length + change.withdraw.length > 0) {
      await storeVersions(tx, change.store, change.withdraw)
      for (const one of changesOf(change)) await recordAudit(tx, auditOf(one))
    }
    const { revision, versions } = await readVersions(tx)
    const lenders = new Lenders(bank, revision, versions, tx.today)
    return { lenders, lender: lenders.on(tx.today).lender, changes: changesOf(change) }
  })
}

/**
 * The stored versions and the one in force, or those of the file before the first start. Writes
 * nothing, so that a command with another file than the service's changes nothing.
 */
export async function readLenders(
  database: Database,
  file: LenderFile,
  bank: string,
): Promise<InForce> {
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const { revision, versions } = await readVersions(tx)
    const faults = versions.length > 0 ? [] : firstFaults(file, tx.today)
    if (faults.length > 0) throw new Error(`HEADROOM_LENDER: ${faults.join('; ')}`)
    const known = versions.length > 0 ? versions : file.versions
    const lenders = new Lenders(bank, revision, known, tx.today)
    return { lenders, lender: lenders.on(tx.today).lender }
  })
}

/** A version that a start stored or withdrew. */
interface VersionChange {
  readonly act: 'stored' | 'withdrawn'
  readonly in_force_from: Day
}

function changesOf({ store, withdraw }: Change): VersionChange[] {
  return [
    ...store.map(({ in_force_from }) => ({ act: 'stored' as const, in_force_from })),
    ...withdraw.map(in_force_from => ({ act: 'withdrawn' as const, in_force_from })),
  ]
}

function auditOf({ act, in_force_from }: VersionChange): Parameters<typeof recordAudit>[1] {
  return {
    act: act === 'stored' ? 'create' : 'delete',
    resource: 'lender_version',
    resource_id: LENDER_ID,
    partner_id: LENDER_ID,
    reason: `the version from ${in_force_from} was ${act}`,
  }
}

/** The faults that `openLenders` would throw at a first start. */
export function firstFaults(file: LenderFile, today: Day): readonly string[] {
  return planChange([], file.versions, today).faults
}

/** The faults that `openLenders` would throw now. Writes nothing. */
export async function lenderFaults(
  tx: Tx,
  file: LenderFile,
  openAtBank: OpenAtBank,
): Promise<readonly string[]> {
  const change = changeOf(tx, await readStored(tx), file)
  return [...change.faults, ...(await bankFaults(tx, change, openAtBank))]
}

function changeOf(
  { today }: Tx,
  stored: readonly StoredVersion[],
  { versions, withdrawn }: LenderFile,
): Change {
  return planChange(stored, versions, today, withdrawn)
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
