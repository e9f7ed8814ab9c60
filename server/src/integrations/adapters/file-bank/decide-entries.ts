/**
 * Decides what each booked entry of the statements read is, once: the decision, its news and the
 * orders that it settles are stored together.
 */
import { raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { compactIban } from '../../../platform/kit/iban.ts'
import { euros } from '../../../platform/kit/money.ts'
import type { Detail } from '../../bank-files/reading/camt.ts'
import type { BankInbox, BankNews } from '../../ports/bank.ts'
import type { FileBankParts } from './exchange.ts'
import { OWN_TABLES } from './received-store.ts'
import {
  centsOfCharges,
  isExecution,
  type Meaning,
  type Movement,
  meaningOf,
  namedFiles,
  namedOrders,
  settledInFile,
  unexplained,
} from './statement-news.ts'
import {
  type Decision,
  type DetailSums,
  type DetailsOf,
  findNotified,
  findSentFile,
  findSentOrders,
  insertNews,
  lockNextEntries,
  markDecided,
  markTold,
  readDetailSums,
  readDetails,
  readOpenOrders,
  readUntold,
  type SentFile,
  type StoredDetail,
  type StoredEntry,
} from './statement-store.ts'

type IsOurs = FileBankParts['isOurIban']

/** Entries decided in one transaction. */
const ENTRIES = 100

/** Decides all entries, and returns how many. */
export async function decideEntries({ database, isOurIban }: FileBankParts): Promise<number> {
  for (let count = 0; ; ) {
    const done = await transaction(database, OWN_TABLES, async tx => {
      const entries = await lockNextEntries(tx, ENTRIES)
      const decided: (DetailsOf & Decision)[] = []
      for (const entry of entries) {
        const { statement_id, place } = entry
        const { kind, charge, remark } = await decideEntry(tx, entry, isOurIban)
        decided.push({ statement_id, place, kind, charge, remark })
      }
      if (decided.length > 0) await markDecided(tx, decided)
      return entries.length
    })
    count += done
    if (done < ENTRIES) return count
  }
}

/** Passes news on until none is left. A repeated one has the same reference. */
export async function tellNews(database: Database, inbox: BankInbox): Promise<number> {
  for (let count = 0; ; ) {
    const news = await transaction(database, OWN_TABLES, readUntold)
    if (news.length === 0) return count
    await inbox(news)
    const references = news.map(one => one.bank_reference)
    await transaction(database, OWN_TABLES, tx => markTold(tx, references))
    count += news.length
  }
}

async function decideEntry(tx: Tx, entry: StoredEntry, isOurs: IsOurs): Promise<Decision> {
  const decision = await decisionOn(tx, entry, isOurs)
  if (decision.kind === 'OTHER' && entry.amount > 0n) {
    const { statement_id, account, reference, place, amount, sign } = entry
    const moved = `${sign === 'CRDT' ? '' : '-'}${euros(amount)}`
    const detail = `Entry ${place} of the statement ${reference} of ${account} (${moved})`
    await raiseAlert(tx, 'bank_entry_unexplained', statement_id, `${detail}: ${decision.remark}`)
  }
  return decision
}

/**
 * An entry for all orders of a file settles them if the sums agree, whatever details it has. Else
 * its details count, if they add up to the entry. Else it is not known what moved.
 */
async function decisionOn(tx: Tx, entry: StoredEntry, isOurs: IsOurs): Promise<Decision> {
  if (entry.amount === 0n) return { kind: 'OTHER', charge: 0n, remark: null }
  const source = await findDetails(tx, entry)
  const file = await findSentFile(tx, namedFiles(entry.entry, source?.sums.first ?? null))
  const whole = movementOf(entry, null, entry.amount)
  if (file && isExecution(file.kind, entry.sign) && file.open === entry.amount) {
    return settleFile(tx, whole, file)
  }
  if (!source) {
    const stray = `the file's orders that are open add up to ${euros(file?.open ?? 0n)}`
    // The orders of a file that is booked in parts are named one by one.
    const meaning = await findMeaning(tx, whole, isOurs)
    if (meaning.kind === 'PAYMENTS' || !file) return storeMeaning(tx, meaning)
    return storeMeaning(tx, unexplained(whole, stray))
  }
  if (source.charge === null) {
    const { count, total } = source.sums
    const remark = `its ${count} details add up to ${euros(total)}`
    return storeMeaning(tx, unexplained(whole, remark))
  }
  const { of, charge } = source
  return decideDetails(tx, entry, { of, charge }, Boolean(file), isOurs)
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
  const of = await findNotified(tx, entry)
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

async function settleFile(tx: Tx, whole: Movement, file: SentFile): Promise<Decision> {
  for await (const orders of readOpenOrders(tx, file.id)) {
    await insertNews(
      tx,
      orders.map(order => settledInFile(whole, order)),
    )
  }
  return { kind: 'PAYMENTS', charge: 0n, remark: null }
}

async function decideDetails(
  tx: Tx,
  entry: StoredEntry,
  { of, charge }: { readonly of: DetailsOf; readonly charge: bigint },
  is_of_file: boolean,
  isOurs: IsOurs,
): Promise<Decision> {
  const kinds = new Set<Decision['kind']>()
  const remarks = new Set<string>()
  let charges = charge
  for await (const details of readDetails(tx, of)) {
    const movements = details.map(one => detailMovement(entry, one))
    const found = await findMeanings(tx, movements, isOurs)
    const meanings = found.map((said, index) => {
      // A debit of ours that does not name its order is no transfer, whatever its text.
      const is_stray = is_of_file && said.kind === 'TRANSFER'
      return is_stray ? unexplained(movements[index]!, STRAY) : said
    })
    for (const [index, { kind, charge: fee, remark }] of meanings.entries()) {
      kinds.add(kind)
      charges += kind === 'CHARGE' ? movements[index]!.amount : fee
      if (remark !== null) remarks.add(remark)
    }
    await insertNews(tx, meanings.flatMap(newsIn))
  }
  const [remark = null] = remarks
  const kind = strongest(kinds)
  // An entry of charges only is one itself.
  return { kind, charge: kind === 'CHARGE' ? 0n : charges, remark }
}

const STRAY = 'it belongs to a file of ours, but names none of its orders'

/** Of an entry with several kinds of details, the one that needs most attention. */
function strongest(kinds: ReadonlySet<Decision['kind']>): Decision['kind'] {
  const order = [
    'OTHER',
    'PAYMENTS',
    'TRANSFER',
    'TRANSFER_OWN',
    'CHARGE',
    'BANK_INTEREST',
  ] as const
  return order.find(kind => kinds.has(kind))!
}

async function storeMeaning(tx: Tx, meaning: Meaning): Promise<Decision> {
  await insertNews(tx, newsIn(meaning))
  const { kind, charge, remark } = meaning
  return { kind, charge, remark }
}

const newsIn = ({ news }: Meaning): BankNews[] => (news ? [news] : [])

async function findMeaning(tx: Tx, movement: Movement, isOurs: IsOurs): Promise<Meaning> {
  const [meaning] = await findMeanings(tx, [movement], isOurs)
  return meaning!
}

async function findMeanings(
  tx: Tx,
  movements: readonly Movement[],
  isOurs: IsOurs,
): Promise<Meaning[]> {
  const { collection_iban, funding_iban } = tx.settings.lender
  // Transfers from the lender's accounts at other banks are capital, which the service books.
  const own = new Set([collection_iban, funding_iban].map(compactIban))
  const credited = new Set(movements.flatMap(one => one.detail?.creditor?.iban ?? []))
  const virtual = new Set<string>()
  for (const iban of credited) {
    if (!own.has(iban) && (await isOurs(tx, iban))) virtual.add(iban)
  }
  const orders = await findSentOrders(tx, movements.flatMap(namedOrders))
  return movements.map(movement => {
    const named = namedOrders(movement).flatMap(id => orders.get(id) ?? [])
    return meaningOf(movement, named[0] ?? null, { own, virtual })
  })
}

function movementOf(
  { account, reference, place, sign, value_on, entry }: StoredEntry,
  detail: Detail | null,
  amount: bigint,
): Movement {
  const bank_reference = [account, reference, place, ...(detail ? [detail.place] : [])].join('/')
  return { bank_reference, account, amount, sign, value_on, entry, detail }
}

/** A detail without an amount is the only one of its entry. */
function detailMovement(entry: StoredEntry, { amount, detail }: StoredDetail): Movement {
  const movement = movementOf(entry, detail, amount ?? entry.amount)
  return { ...movement, sign: detail.sign ?? entry.sign }
}
