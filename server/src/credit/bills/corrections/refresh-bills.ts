/** Applies changes that become known between a bill's generation and its sending. */
import { sql } from 'kysely'
import { lockExposure } from '../../../companies/credit-lines/index.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import { BEFORE_ALL_IDS } from '../../../platform/db/slices.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import { planBillPayments } from '../collection/plan-bill-payments.ts'
import { syncBillLines } from '../collection/sync-bill-lines.ts'
import { takeCredits } from '../credits/take-credits.ts'
import { bookLines, type Line, totalOf, unbilledLines } from '../lines.ts'
import { printLines } from '../printed/print-lines.ts'
import { LOANS_SLICE } from '../rules.ts'
import {
  type BillRow,
  type LineRow,
  linesOfBills,
  lockBills,
  lockBillsOfPayers,
  paidBy,
  readBills,
  setLines,
} from '../store.ts'
import { mailWithdrawal } from './withdraw-bill.ts'

/**
 * Longer than any transaction: a change is dated when its transaction begins, but visible only once
 * it commits.
 */
const OVERLAP_MS = 60_000

/**
 * Recomputes a partner's bill, which can cover the loans of very many borrowers, in slices of one
 * transaction each. Returns the time from which changes are still to be applied, or null for a
 * borrower's bill, which is recomputed as a whole.
 */
export async function refreshInBatches(
  database: Database,
  bill: RowKey,
  loans_max = LOANS_SLICE,
): Promise<Date | null> {
  const all = { partners: '*', actor: 'service' } as const
  const { by_partner, began } = await transaction(database, { ...all, read_only: true }, tx =>
    tx.one(sql<{ by_partner: boolean; began: Date }>`
      select borrower_id is null as by_partner, ${tx.now}::timestamptz as began
      from bills where partner_id = ${bill.partner_id} and id = ${bill.id}`),
  )
  if (!by_partner) return null
  for (let after: string | null = BEFORE_ALL_IDS; after; ) {
    const from: string = after
    after = await transaction(database, all, tx => refreshSlice(tx, bill, from, loans_max))
  }
  return new Date(began.getTime() - OVERLAP_MS)
}

async function refreshSlice(
  tx: Tx,
  bill: RowKey,
  after: string,
  loans_max: number,
): Promise<string | null> {
  const bills = await readUnsent(tx, [bill])
  if (bills.length === 0) return null
  const loans = await lockPayers(tx, bills, sql`l.id > ${after}`, loans_max)
  if (loans.length === 0) return null
  const changes = await changesOf(tx, bills, loans)
  await lockBillsOfPayers(tx, keysBy(bills, 'payer_id'))
  if ((await readUnsent(tx, [bill])).length === 0) return null
  await applyChanges(tx, bills, changes)
  return loans.at(-1)!.id
}

/**
 * Recomputes the lines of the payers' loans, or only of those whose interest changed `since`, and
 * returns the updated bills. A bill whose lines would add up to 0 becomes INVALID, and its lines go
 * on the next bill. Several bills must be for the same month and for different borrowers.
 */
export async function refreshBills(
  tx: Tx,
  keys: readonly RowKey[],
  since: Date | null = null,
): Promise<BillRow[]> {
  const bills = await readUnsent(tx, keys)
  const loans = await lockPayers(tx, bills, changedSince(since))
  const changes = Map.groupBy(await changesOf(tx, bills, loans), change => change.bill_id)
  const of = (bill: BillRow) => changes.get(bill.id) ?? []
  const emptied = bills.filter(bill => totalOf([bill, ...of(bill)]) === 0n)
  const emptying = await emptyingOf(tx, emptied)
  await lockBillsOfPayers(tx, keysBy(bills, 'payer_id'))
  const unsent = new Set((await readUnsent(tx, keys)).map(bill => bill.id))
  await applyChanges(
    tx,
    bills.filter(bill => unsent.has(bill.id)),
    [...bills.filter(bill => !emptied.includes(bill)).flatMap(of), ...emptying],
  )
  const after = await lockBills(tx, bills)
  const empty = after.filter(bill => bill.status === 'GENERATED' && bill.amount === 0n)
  await move(tx, 'bill', empty, 'replace', 'nothing to bill')
  // An emptied bill may have been the replacement of a sent one, whose payer must be notified.
  const amended = await readBills(tx, keysBy(empty, 'amends_bill_id'))
  for (const bill of amended) await mailWithdrawal(tx, bill)
  return after.map(bill => (empty.includes(bill) ? { ...bill, status: 'INVALID' } : bill))
}

/**
 * Locks partners and credit lines before any loan (the common lock order), and returns the loans
 * that the bills may charge or credit, restricted by `which`. A change of a loan's money locks the
 * partner too, so the loans cannot change from here on.
 */
async function lockPayers(
  tx: Tx,
  bills: readonly BillRow[],
  which: ReturnType<typeof changedSince>,
  loans_max: number | null = null,
): Promise<RowKey[]> {
  const partners = bills.map(bill => bill.partner_id)
  const borrowers = keysBy(bills, 'borrower_id')
  await lockExposure(tx, partners, borrowers)
  const loans = await loansOf(tx, bills, which, loans_max)
  if (borrowers.length > 0 || loans.length === 0) return loans
  const owners = await tx.all(sql<RowKey>`
    select distinct partner_id, borrower_id as id from loans
    where ${haveKeys(loans, 'loans')}
    order by borrower_id`)
  await lockExposure(tx, partners, owners)
  return loans
}

async function readUnsent(tx: Tx, keys: readonly RowKey[]): Promise<BillRow[]> {
  return (await readBills(tx, keys)).filter(bill => bill.status === 'GENERATED')
}

async function loansOf(
  tx: Tx,
  bills: readonly BillRow[],
  which = sql`true`,
  loans_max: number | null = null,
): Promise<RowKey[]> {
  if (bills.length === 0) return []
  return tx.all(sql<RowKey>`
    select l.partner_id, l.id from loans l where ${paidBy(bills)}
      and (l.paid_out_on <= ${bills[0]!.period_to} or l.interest_billed <> 0) and ${which}
    order by l.id limit ${loans_max}`)
}

function changedSince(since: Date | null) {
  return since ? sql`l.interest_changed_at >= ${since}` : sql`true`
}

type Change = Line & { bill_id: string; target: { amount: bigint; mark_up: bigint } }

const NO_TARGET = { amount: 0n, mark_up: 0n, lapsed: 0n }

/**
 * Whether a loan's interest may have changed after the bill was computed, so that the loan's lines
 * must be printed again.
 */
function isChanged({ loan }: Line, { ran_at }: BillRow): boolean {
  const changed_at = loan.interest_changed_at
  return changed_at !== null && changed_at.getTime() >= ran_at.getTime() - OVERLAP_MS
}

/**
 * The given bills that are their payer's latest. A bill that could not be sent before the next one
 * was generated is sent unchanged, and all changes go on the later bill.
 */
async function latestOf(tx: Tx, bills: readonly BillRow[]): Promise<BillRow[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select b.id from bills b where ${haveKeys(bills, 'b')}
      and not exists (select from bills n
        where n.partner_id = b.partner_id and n.payer_id = b.payer_id
          and n.period_from > b.period_from and n.status <> 'INVALID')`)
  const latest = new Set(rows.map(row => row.id))
  return bills.filter(bill => latest.has(bill.id))
}

/** Locks the loans and returns the changes to the bills, with the target cents of each line. */
async function changesOf(
  tx: Tx,
  unsent: readonly BillRow[],
  loans: readonly RowKey[],
): Promise<Change[]> {
  const bills = await latestOf(tx, unsent)
  if (loans.length === 0 || bills.length === 0) return []
  const missing = await unbilledLines(tx, loans, periodOf(bills[0]!))
  const lines = await readLines(tx, bills)
  const billOf = new Map(bills.map(bill => [bill.payer_id, bill]))
  return missing
    .filter(line => billOf.has(line.loan.payer_id))
    .map(line => withoutLapsed(line, lines.get(line.loan.id) ?? NO_TARGET))
    .map(line => {
      const old = lines.get(line.loan.id) ?? NO_TARGET
      const target = { amount: old.amount + line.amount, mark_up: old.mark_up + line.mark_up }
      return { ...line, bill: billOf.get(line.loan.payer_id)!, target }
    })
    .filter(line => line.amount !== 0n || (lines.has(line.loan.id) && isChanged(line, line.bill)))
    .map(({ bill, ...line }) => ({ ...line, bill_id: bill.id }))
}

async function readLines(tx: Tx, bills: readonly BillRow[]): Promise<Map<string, LineRow>> {
  const lines = await linesOfBills(tx, bills)
  return new Map(lines.map(line => [line.loan_id, line]))
}

/**
 * The line without the amount that lapsed before the bill was sent, which is taken from the mark-up
 * first.
 */
function withoutLapsed(line: Line, { mark_up, lapsed }: typeof NO_TARGET): Line {
  // A line that credits mark-up has no mark-up that could lapse.
  const left = maxAmount(mark_up + line.mark_up, 0n)
  const less = minAmount(left, lapsed)
  return { ...line, amount: line.amount - lapsed, mark_up: line.mark_up - less }
}

/** Changes that remove every line from bills totaling 0; the lines go on the next bills. */
async function emptyingOf(tx: Tx, bills: readonly BillRow[]): Promise<Change[]> {
  if (bills.length === 0) return []
  const loans = await unbilledLines(tx, await loansOf(tx, bills), periodOf(bills[0]!))
  const lines = await readLines(tx, bills)
  return loans.flatMap(({ loan, steps }) => {
    const line = lines.get(loan.id)
    if (!line) return []
    const taken = { amount: -line.amount, mark_up: -line.mark_up }
    return [{ loan, steps, bill_id: line.bill_id, ...taken, target: NO_TARGET }]
  })
}

async function applyChanges(
  tx: Tx,
  bills: readonly BillRow[],
  all: readonly Change[],
): Promise<void> {
  const changes = all.filter(change => bills.some(bill => bill.id === change.bill_id))
  if (changes.length === 0) return
  const period = periodOf(bills[0]!)
  const parts = changes.map(({ loan, steps, target: { amount, mark_up } }) => ({
    loan,
    steps,
    amount,
    mark_up,
    payer_id: loan.payer_id,
  }))
  const own = bills.map(bill => bill.id)
  const printed = await printLines(tx, period, parts, own)
  await bookLines(tx, period, changes)
  await setLines(
    tx,
    changes.map(({ bill_id, loan, target: { amount, mark_up } }) => ({
      partner_id: loan.partner_id,
      bill_id,
      loan_id: loan.id,
      amount,
      mark_up,
      printed: printed.get(loan.id)!,
    })),
  )
  await syncBillLines(
    tx,
    changes.map(({ loan }) => loan),
  )
  await takeCredits(
    tx,
    changes.map(({ bill_id, loan: { partner_id, id: loan_id } }) => ({
      partner_id,
      bill_id,
      loan_id,
    })),
  )
  const ids = new Set(changes.map(change => change.bill_id))
  await planBillPayments(
    tx,
    bills.filter(bill => ids.has(bill.id)),
  )
}

function periodOf({ period_from: from, period_to: to, due_on }: BillRow) {
  return { from, to, due_on }
}
