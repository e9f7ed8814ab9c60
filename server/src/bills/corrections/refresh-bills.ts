/** Keeps a bill that was not sent yet in step with what became known since it was generated. */
import { sql } from 'kysely'
import { lockExposure } from '../../credit-lines/index.ts'
import { type Actor, move } from '../../db/move.ts'
import { BEFORE_ALL_IDS } from '../../db/slices.ts'
import { type Database, type Tx, transaction } from '../../db/transaction.ts'
import { planBillPayments } from '../collection/plan-bill-payments.ts'
import { syncBillLines } from '../collection/sync-bill-lines.ts'
import { takeCredits } from '../credits/take-credits.ts'
import { bookLines, type Line, totalOf, unbilledLines } from '../lines.ts'
import { LOANS_SLICE } from '../rules.ts'
import {
  type BillRow,
  linesOfBill,
  lockBills,
  lockBillsOfPayer,
  paidBy,
  setLines,
} from '../store.ts'
import { mailWithdrawal } from './withdraw-bill.ts'

const SERVICE: Actor = 'service'
/** Facts are booked with the time their transaction began, and may be seen a little later. */
const OVERLAP_MS = 60_000

/**
 * Counts a partner's bill, which may have the loans of very many borrowers, anew in slices of a
 * transaction each. Answers the moment since which facts are still to be counted, or null for a
 * bill that is to be counted as a whole.
 */
export async function refreshInSlices(
  database: Database,
  bill_id: string,
  loans_max = LOANS_SLICE,
): Promise<Date | null> {
  const all = { partners: '*' } as const
  const { by_partner, began } = await transaction(database, { ...all, read_only: true }, tx =>
    tx.one(sql<{ by_partner: boolean; began: Date }>`
      select borrower_id is null as by_partner, ${tx.now}::timestamptz as began
      from bills where id = ${bill_id}`),
  )
  if (!by_partner) return null
  for (let after: string | null = BEFORE_ALL_IDS; after; ) {
    const from: string = after
    after = await transaction(database, all, tx => refreshSlice(tx, bill_id, from, loans_max))
  }
  return new Date(began.getTime() - OVERLAP_MS)
}

async function refreshSlice(
  tx: Tx,
  bill_id: string,
  after: string,
  loans_max: number,
): Promise<string | null> {
  const bill = await readBill(tx, bill_id)
  if (bill.status !== 'GENERATED') return null
  const slice = sql`l.id > ${after} order by l.id limit ${loans_max}`
  const loans = await lockPayer(tx, bill, slice)
  if (loans.length === 0) return null
  const changes = await changesOf(tx, bill, loans)
  await lockBillsOfPayer(tx, bill.payer_id)
  if ((await readBill(tx, bill_id)).status !== 'GENERATED') return null
  await applyChanges(tx, SERVICE, bill, changes)
  return loans.at(-1)!
}

/**
 * Counts the loans of its payer anew, those alone whose money changed `since` when that is given,
 * and answers the bill as it then is. When nothing is left to ask for or to credit it becomes
 * INVALID, for there is no bill of 0.
 */
export async function refreshBill(
  tx: Tx,
  actor: Actor,
  bill_id: string,
  since: Date | null = null,
): Promise<BillRow> {
  const bill = await readBill(tx, bill_id)
  const loans = await lockPayer(tx, bill, changedSince(since))
  const changes = await changesOf(tx, bill, loans)
  const emptied = totalOf([bill, ...changes]) === 0n && (await emptyingOf(tx, bill))
  await lockBillsOfPayer(tx, bill.payer_id)
  const locked = await readBill(tx, bill_id)
  if (locked.status !== 'GENERATED') return locked
  await applyChanges(tx, actor, bill, emptied || changes)
  const [after] = await lockBills(tx, [bill_id])
  if (after!.amount !== 0n) return after!
  await move(tx, actor, 'bill', [after!], 'replace', 'nothing to bill')
  // What it was to take the place of was sent.
  if (bill.amends_bill_id) await mailWithdrawal(tx, await readBill(tx, bill.amends_bill_id))
  return { ...after!, status: 'INVALID' }
}

/**
 * Locks the partner and the lines whose loans the bill may credit, before any loan (the house's
 * order); answers the loans it may have, as far as `which` takes them. Whoever moves their money
 * locks the partner too, so that nothing changes any more.
 */
async function lockPayer(
  tx: Tx,
  bill: BillRow,
  which: ReturnType<typeof changedSince>,
): Promise<string[]> {
  const { partner_id, borrower_id } = bill
  await lockExposure(tx, [partner_id], borrower_id ? [borrower_id] : [])
  const loans = await loansOf(tx, bill, which)
  if (borrower_id || loans.length === 0) return loans
  const owners = await tx.all(sql<{ id: string }>`
    select distinct borrower_id as id from loans
    where partner_id = ${partner_id} and id = any(${loans}::uuid[])`)
  await lockExposure(
    tx,
    [partner_id],
    owners.map(owner => owner.id),
  )
  return loans
}

async function readBill(tx: Tx, bill_id: string): Promise<BillRow> {
  return tx.one(sql<BillRow>`select * from bills where id = ${bill_id}`)
}

/** The loans of a bill's payer that may be billed, as far as `which` takes them. */
async function loansOf(tx: Tx, bill: BillRow, which = sql`true`): Promise<string[]> {
  const loans = await tx.all(sql<{ id: string }>`
    select l.id from loans l where ${paidBy(bill)}
      and (l.paid_out_on <= ${bill.period_to} or l.interest_billed <> 0) and ${which}`)
  return loans.map(loan => loan.id)
}

function changedSince(since: Date | null) {
  return since ? sql`l.interest_changed_at >= ${since}` : sql`true`
}

type Change = Line & { bill_id: string; target: { amount: bigint; mark_up: bigint } }

const NOTHING = { amount: 0n, mark_up: 0n, lapsed: 0n }

/** Locks the loans; what they change on the bill, with the cents each line is to have. */
async function changesOf(tx: Tx, bill: BillRow, loan_ids: readonly string[]): Promise<Change[]> {
  const missing = await unbilledLines(tx, loan_ids, periodOf(bill))
  const lines = new Map((await linesOfBill(tx, bill.id)).map(l => [l.loan_id, l]))
  return missing
    .map(line => withoutLapsed(line, lines.get(line.loan.id) ?? NOTHING))
    .filter(line => line.amount !== 0n)
    .map(line => {
      const old = lines.get(line.loan.id) ?? NOTHING
      const target = { amount: old.amount + line.amount, mark_up: old.mark_up + line.mark_up }
      return { ...line, bill_id: bill.id, target }
    })
}

/** What has lapsed before a bill was sent is not asked for; the mark-up of it before interest. */
function withoutLapsed(line: Line, { mark_up, lapsed }: typeof NOTHING): Line {
  const left = mark_up + line.mark_up
  const less = left < lapsed ? left : lapsed
  return { ...line, amount: line.amount - lapsed, mark_up: line.mark_up - less }
}

/** What takes every line off a bill whose sum is nothing: the next one takes them all. */
async function emptyingOf(tx: Tx, bill: BillRow): Promise<Change[]> {
  const loans = await unbilledLines(tx, await loansOf(tx, bill), periodOf(bill))
  const lines = new Map((await linesOfBill(tx, bill.id)).map(l => [l.loan_id, l]))
  return loans.flatMap(({ loan }) => {
    const line = lines.get(loan.id)
    if (!line) return []
    const taken = { amount: -line.amount, mark_up: -line.mark_up }
    return [{ loan, bill_id: bill.id, ...taken, target: NOTHING }]
  })
}

async function applyChanges(
  tx: Tx,
  actor: Actor,
  bill: BillRow,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  await bookLines(tx, periodOf(bill), changes)
  await setLines(
    tx,
    bill.id,
    changes.map(({ loan, target }) => ({ loan_id: loan.id, ...target })),
  )
  await syncBillLines(
    tx,
    changes.map(({ loan }) => loan.id),
    actor,
  )
  await takeCredits(
    tx,
    actor,
    changes.map(({ bill_id, loan }) => ({ bill_id, loan_id: loan.id })),
  )
  await planBillPayments(tx, actor, [bill.id])
}

function periodOf({ period_from: from, period_to: to, due_on }: BillRow) {
  return { from, to, due_on }
}
