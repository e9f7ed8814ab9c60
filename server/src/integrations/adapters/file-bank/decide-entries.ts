/**
 * Decides what each booked entry of the statements read is, once: the decision, its movements and
 * the orders that it settles are stored together. A statement that is decided is handed over whole.
 */
import { ownAccounts } from '../../../platform/db/own-accounts.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { euros } from '../../../platform/kit/money.ts'
import type { Detail } from '../../bank-files/reading/camt.ts'
import { doEach } from './do-each.ts'
import type { FileBankParts } from './exchange.ts'
import {
  type DetailSums,
  type DetailsOf,
  findSentFile,
  findSentOrders,
  insertMovements,
  lacksOthers,
  lockStatement,
  markDecided,
  markProgress,
  readDetailSums,
  readDetails,
  readNextEntries,
  readOpenOrders,
  readUndecided,
  type SentFile,
  type StoredDetail,
  type StoredEntry,
  takeNotified,
} from './movement-store.ts'
import { OWN_TABLES } from './received-store.ts'
import {
  centsOfCharges,
  feeBeside,
  isExecution,
  type Movement,
  meaningOf,
  namedFiles,
  namedOrders,
  settledInFile,
  type Told,
  unexplained,
} from './statement-news.ts'

/** Entries decided in one transaction. */
const ENTRIES = 100

/** Decides all statements that are there, earlier days first; returns how many. */
export async function decideStatements(parts: FileBankParts): Promise<number> {
  const { database } = parts
  const statements = await transaction(database, OWN_TABLES, readUndecided)
  return doEach(statements, async ({ id }) => {
    let is_left = true
    while (is_left) {
      is_left = await transaction(database, OWN_TABLES, tx => decideSlice(tx, id, parts))
    }
  })
}

/** Returns whether entries may be left. */
async function decideSlice(tx: Tx, id: string, { isOurIban }: FileBankParts): Promise<boolean> {
  const statement = await lockStatement(tx, id)
  const entries = await readNextEntries(tx, statement, ENTRIES)
  let { movements } = statement
  const tell = async (told: readonly Told[]) => {
    await insertMovements(tx, id, movements, told)
    movements += told.length
  }
  for (const entry of entries) await decideEntry({ tx, entry, tell, isOurIban })
  const entries_decided = entries.at(-1)?.place ?? statement.entries_decided
  await markProgress(tx, { ...statement, entries_decided, movements })
  if (entries.length === ENTRIES) return true
  const may_wait = tx.today < statement.waits_until
  await markDecided(tx, id, may_wait && (await lacksOthers(tx, statement)))
  return false
}

/** What is needed to decide an entry. */
interface Work {
  readonly tx: Tx
  readonly entry: StoredEntry
  readonly tell: (told: readonly Told[]) => Promise<void>
  readonly isOurIban: FileBankParts['isOurIban']
}

/**
 * Details count if they add up to the entry. If it names a file of ours and not all of them name an
 * order, the entry settles all open orders of the file with its sum. Else it is not known what
 * moved.
 */
async function decideEntry(work: Work): Promise<void> {
  const { tx, entry, tell } = work
  if (entry.amount === 0n) return
  const source = await findDetails(tx, entry)
  const names = namedFiles(entry.entry, source?.sums.first ?? null)
  const file = await findSentFile(tx, names, entry)
  const whole = movementOf(entry, null, entry.amount)
  const usable = source && source.charge !== null ? { ...source, charge: source.charge } : null
  if (file && isExecution(file.kind, entry.sign) && file.open === entry.amount) {
    if (!usable || !(await nameOrders(work, usable))) return settleFile(work, whole, file)
  }
  if (usable) return decideDetails(work, usable, Boolean(file))
  if (source) {
    const { count, total } = source.sums
    return tell([unexplained(whole, `its ${count} details add up to ${euros(total)}`)])
  }
  const told = await findMeanings(work, [whole])
  // The orders of a file that is booked in parts are named one by one.
  if (!file || told.some(one => one.payment_id !== null)) return tell(told)
  const stray = `the file's orders that are open add up to ${euros(file.open)}`
  return tell([unexplained(whole, stray)])
}

interface Source {
  readonly of: DetailsOf
  readonly sums: DetailSums
  /** The fee that the entry has beside its details; null if they do not add up. */
  readonly charge: bigint | null
}

/** The details of the entry or, if these do not add up, of a notification about it. */
async function findDetails(tx: Tx, entry: StoredEntry): Promise<Source | null> {
  const own = await readSource(tx, entry, entry)
  if (own && own.charge !== null) return own
  const of = await takeNotified(tx, entry)
  const notified = of ? await readSource(tx, entry, of) : null
  return notified && notified.charge !== null ? notified : own
}

async function readSource(tx: Tx, entry: StoredEntry, of: DetailsOf): Promise<Source | null> {
  const sums = await readDetailSums(tx, of, entry.sign)
  if (sums.count === 0) return null
  const signed = entry.sign === 'CRDT' ? entry.amount : -entry.amount
  const beside = sums.total - signed
  // One detail without an amount has the entry's.
  const is_same = beside === 0n ? sums.unknown === 0 : sums.count === 1 && sums.unknown === 1
  if (is_same) return { of, sums, charge: 0n }
  const is_charge = sums.unknown === 0 && centsOfCharges(entry.entry.charges).includes(beside)
  return { of, sums, charge: is_charge && beside > 0n ? beside : null }
}

type Usable = Source & { readonly charge: bigint }

/** Whether each detail is about an order of ours. */
async function nameOrders(work: Work, { of }: Usable): Promise<boolean> {
  for await (const details of readDetails(work.tx, of)) {
    for (const detail of details) {
      const [told] = await findMeanings(work, [detailMovement(work.entry, detail)])
      if (!told?.payment_id) return false
    }
  }
  return true
}

async function settleFile({ tx, entry, tell }: Work, whole: Movement, file: SentFile) {
  for await (const orders of readOpenOrders(tx, file.id, entry)) {
    await tell(orders.map(order => settledInFile(whole, order)))
  }
}

const STRAY = 'it belongs to a file of ours, but names none of its orders'

async function decideDetails(work: Work, { of, charge }: Usable, is_of_file: boolean) {
  const { tx, entry, tell } = work
  for await (const details of readDetails(tx, of)) {
    const movements = details.map(one => detailMovement(entry, one))
    const told = await findMeanings(work, movements)
    const byReference = new Map(movements.map(one => [one.bank_reference, one]))
    await tell(
      told.map(one => {
        // A debit of ours that does not name its order is no transfer, whatever its text.
        const movement = byReference.get(one.bank_reference)
        const is_stray = is_of_file && one.kind === 'TRANSFER_IN' && movement
        return is_stray ? unexplained(movement, STRAY) : one
      }),
    )
  }
  if (charge > 0n) await tell([feeBeside(movementOf(entry, null, entry.amount), charge)])
}

async function findMeanings(
  { tx, isOurIban }: Work,
  movements: readonly Movement[],
): Promise<Told[]> {
  const own = ownIbans(tx)
  const credited = new Set(movements.flatMap(one => one.detail?.creditor?.iban ?? []))
  const virtual = new Set<string>()
  for (const iban of credited) {
    if (!own.has(iban) && (await isOurIban(tx, iban))) virtual.add(iban)
  }
  const orders = await findSentOrders(tx, movements.flatMap(namedOrders))
  return movements.flatMap(movement => {
    const named = namedOrders(movement).flatMap(id => orders.get(id) ?? [])
    return meaningOf(movement, named, { own, virtual })
  })
}

/** The lender's accounts, now and before. Transfers from its accounts elsewhere are capital. */
export function ownIbans({ settings }: Tx): ReadonlySet<string> {
  return new Set(ownAccounts(settings).map(one => one.iban))
}

function movementOf(
  { account, reference, place, sign, booked_on, value_on, entry }: StoredEntry,
  detail: Detail | null,
  amount: bigint,
): Movement {
  const bank_reference = [account, reference, place, ...(detail ? [detail.place] : [])].join('/')
  return { bank_reference, account, amount, sign, booked_on, value_on, entry, detail }
}

/** A detail without an amount is the only one of its entry. */
function detailMovement(entry: StoredEntry, { amount, detail }: StoredDetail): Movement {
  const movement = movementOf(entry, detail, amount ?? entry.amount)
  return { ...movement, sign: detail.sign ?? entry.sign }
}
