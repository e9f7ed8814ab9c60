/** Keeps bills in step with the interest paid on their loans. */
import { type RawBuilder, sql } from 'kysely'
import { type LoanMoneyChange, publishFact } from '../../../facts.ts'
import { readPayments } from '../../../money/payments/index.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import { perTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { IS_OVERBILLED } from '../../loans/index.ts'
import { allocateToLines, creditedShares } from '../rules.ts'
import {
  type BillRow,
  type LoanLine,
  linesOfLoans,
  lockBills,
  REPLACEABLE,
  writePaid,
} from '../store.ts'
import { planBillPayments } from './plan-bill-payments.ts'

/**
 * Whether a loan `l` has a bill line, or may get one because its payer's issued bill is corrected
 * when the loan's interest changes.
 */
export const IS_BILLED: RawBuilder<boolean> = sql`(exists (
    select from bill_lines i where i.partner_id = l.partner_id and i.loan_id = l.id)
  or exists (select from bills b where b.status in ${REPLACEABLE}
    and b.partner_id = l.partner_id and b.payer_id = l.payer_id))`

/**
 * Allocates loans' paid interest to their bill lines, and settles or reopens their bills. The
 * unpaid part of a written-off loan's lines lapses: it is no longer owed and counts as settled.
 */
export async function syncBillLines(tx: Tx, loans: readonly RowKey[]): Promise<void> {
  const lines = Map.groupBy(await linesOfLoans(tx, loans), line => line.loan_id)
  const changed = [...lines.values()].flatMap(changedLines)
  if (changed.length === 0) return
  for (const { loan_id, bill_id, paid } of changed) {
    const before = lines.get(loan_id)!.find(line => line.bill_id === bill_id)!
    if (paid < before.paid) reducedIn(tx).add(bill_id)
  }
  const bills = new Map(
    changed.map(({ partner_id, bill_id: id }) => [id, { partner_id, id }] as const),
  )
  const keys = [...bills.values()]
  await lockBills(tx, keys)
  await writePaid(tx, changed)
  await settleBills(tx, await lockBills(tx, keys))
  await planBillPayments(tx, keys)
}

const reducedIn = perTransaction(() => new Set<string>())

/** Bills with a line whose paid amount has fallen in this transaction, even if it rose again. */
export function reducedBills(tx: Tx): ReadonlySet<string> {
  return reducedIn(tx)
}

/** One loan's lines whose allocation changes, with the new allocation. */
function changedLines(lines: readonly LoanLine[]): LoanLine[] {
  // An overbilled amount that is not credited yet is not owed, so it settles lines like money.
  const { interest_paid, interest_billed, interest_accrued, written_off_on } = lines[0]!
  const credit = interest_billed > interest_accrued ? interest_billed - interest_accrued : 0n
  const shares = allocateToLines(interest_paid + credit, lines)
  const credits = creditedShares(interest_paid, lines, shares)
  return lines
    .map((line, index) => {
      const open = line.amount - shares[index]!
      const lapsed = written_off_on && open > 0n ? open : 0n
      return { ...line, paid: shares[index]! + lapsed, lapsed, credited: credits[index]! }
    })
    .filter(({ paid, lapsed, credited }, index) => {
      const before = lines[index]!
      return paid !== before.paid || lapsed !== before.lapsed || credited !== before.credited
    })
}

/**
 * If loans turn out to be overbilled, publishes `surplus_found` for the payments of their bills,
 * latest first, so that the money can pay other lines of the same bills. The next bill credits the
 * rest.
 */
export async function offerOverbilled(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const overbilled = changes.filter(({ loan }) => loan.interest_paid > loan.interest_accrued)
  if (overbilled.length === 0) return
  const loans = keysBy(overbilled, 'loan_id')
  const paying = await tx.all(sql<RowKey>`
    select distinct m.partner_id, m.payment_id as id from loan_movements m
    join loans l on l.partner_id = m.partner_id and l.id = m.loan_id and ${IS_OVERBILLED}
    join bills b on b.partner_id = m.partner_id and b.id = m.bill_id
      and b.amount > b.amount_paid and b.status <> 'INVALID'
    where ${haveKeys(loans, 'm', 'loan_id')} and m.kind = 'BILL_PAYMENT' and m.interest > 0
      and m.payment_id is not null and m.voided_at is null`)
  const payments = await readPayments(tx, paying)
  for (const payment of payments.toReversed()) await publishFact(tx, 'surplus_found', { payment })
}

/** Statuses in which a bill has been issued and can be paid. */
const PAYABLE = ['VALIDATED', 'SENT_TO_PAYER', 'TO_PAY']

/** Marks covered bills as PAID, and reopens PAID bills that are no longer covered. */
export async function settleBills(tx: Tx, bills: readonly BillRow[]): Promise<void> {
  const paid = (bill: BillRow) => bill.amount_paid >= bill.amount
  const payable = bills.filter(bill => paid(bill) && PAYABLE.includes(bill.status))
  const reopened = bills.filter(bill => !paid(bill) && bill.status === 'PAID')
  await move(tx, 'bill', payable, 'pay')
  // The payer has paid the bill, so the alert about its delivery is obsolete.
  const unsent = payable.filter(bill => bill.status === 'VALIDATED').map(bill => bill.id)
  if (unsent.length > 0) await clearAlert(tx, 'bill_unsent', ...unsent)
  await move(tx, 'bill', reopened, 'reopen')
  const borrowers = keysBy(reopened, 'borrower_id')
  if (borrowers.length > 0) await publishFact(tx, 'bills_reopened', { borrowers })
}
