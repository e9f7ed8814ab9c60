/** The month-end run: the interest of the month before, set-wise, in restartable slices. */
import { sql } from 'kysely'
import { type Actor, birth, recordBirths } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { rfReference } from '../kit/reference.ts'
import { loanPostings, post } from '../ledger/index.ts'
import type { Step } from '../loans/account.ts'
import { addBilled, type LoanRow, lockLoans } from '../loans/index.ts'
import { planBillPayment } from './plan-bill-payment.ts'
import { lineAmount, type Period, periodBilledIn } from './rules.ts'
import { insertBills, insertLines, markPrepaid } from './store.ts'
import { syncBillLines } from './sync-bill-lines.ts'

const SERVICE: Actor = 'service'
const SLICE = 200

/** Bills every borrower whose loans owe more interest than was billed; answers how many bills. */
export async function generateBills(database: Database, today: Day): Promise<number> {
  const period = periodBilledIn(today)
  let after = '00000000-0000-0000-0000-000000000000'
  for (let bills = 0; ; ) {
    const slice = await transaction(database, { partners: '*' }, tx => billSlice(tx, period, after))
    if (slice.last === null) return bills
    after = slice.last
    bills += slice.bills
  }
}

interface Unbilled {
  loan_id: string
  steps: { from_on: Day; principal: string }[]
}

async function billSlice(
  tx: Tx,
  period: Period,
  after: string,
): Promise<{ last: string | null; bills: number }> {
  const borrowers = await tx.all(sql<{ borrower_id: string }>`
    select distinct borrower_id from loans
    where paid_out_on <= ${period.to} and borrower_id > ${after}
      and (status in ('TO_REPAY', 'TO_REPAY_FEES') or interest_billed <> interest_accrued)
    order by borrower_id limit ${SLICE}`)
  const ids = borrowers.map(b => b.borrower_id)
  if (ids.length === 0) return { last: null, bills: 0 }
  const unbilled = await tx.all(sql<Unbilled>`
    select l.id as loan_id, (select json_agg(json_build_object('from_on', s.from_on,
        'principal', s.principal::text) order by s.from_on)
      from loan_principal_steps s where s.loan_id = l.id) as steps
    from loans l
    where l.borrower_id = any(${ids}::uuid[]) and l.paid_out_on <= ${period.to}
      and not exists (select from bills b where b.borrower_id = l.borrower_id
        and b.period_from = ${period.from} and b.status <> 'INVALID')`)
  const loans = await lockLoans(
    tx,
    unbilled.map(u => u.loan_id),
  )
  const steps = new Map(unbilled.map(u => [u.loan_id, stepsOf(u)]))
  const lines = loans
    .map(loan => {
      const amount = lineAmount(steps.get(loan.id)!, loan.rate_ppm, loan.interest_billed, period)
      return { loan, amount }
    })
    // A lower interest than was billed is a correction, not a bill of its own.
    .filter(line => line.amount > 0n)
  const bills = await writeBills(tx, period, lines)
  return { last: ids.at(-1)!, bills }
}

function stepsOf({ steps }: Unbilled): Step[] {
  return (steps ?? []).map(s => ({ from_on: s.from_on, principal: BigInt(s.principal) }))
}

interface Line {
  loan: LoanRow
  amount: bigint
}

async function writeBills(tx: Tx, period: Period, lines: Line[]): Promise<number> {
  const born = birth('bill', [])
  const groups = [...Map.groupBy(lines, line => line.loan.borrower_id)]
  const bills = groups.map(([borrower_id, own]) => {
    const id = tx.newId()
    return {
      id,
      borrower_id,
      partner_id: own[0]!.loan.partner_id,
      status: born.status,
      period_from: period.from,
      period_to: period.to,
      due_on: period.due_on,
      amount: own.reduce((sum, line) => sum + line.amount, 0n),
      currency: 'EUR',
      reference: rfReference(id),
      ran_at: tx.now,
      created_at: tx.now,
    }
  })
  const inserted = await insertBills(tx, bills)
  const fresh = bills.filter(bill => inserted.has(bill.id))
  const billOf = new Map(fresh.map(bill => [bill.borrower_id, bill.id]))
  const booked = lines.filter(line => billOf.has(line.loan.borrower_id))
  await insertLines(
    tx,
    booked.map(({ loan, amount }) => ({
      bill_id: billOf.get(loan.borrower_id)!,
      loan_id: loan.id,
      amount,
    })),
  )
  await bookLines(tx, period, booked, billOf)
  await recordBirths(
    tx,
    SERVICE,
    fresh.map(({ id, partner_id }) => ({ id, partner_id, birth: born })),
  )
  for (const { loan } of booked) await syncBillLines(tx, loan.id, SERVICE)
  await markPrepaid(tx, [...inserted])
  for (const bill of fresh) await planBillPayment(tx, SERVICE, bill.id)
  return fresh.length
}

/** Interest earned and billed, an entry for each loan, in one statement. */
async function bookLines(
  tx: Tx,
  period: Period,
  lines: readonly Line[],
  billOf: ReadonlyMap<string, string>,
): Promise<void> {
  const after = lines.map(({ loan, amount }) => {
    const interest_billed = loan.interest_billed + amount
    const interest_accrued =
      interest_billed > loan.interest_accrued ? interest_billed : loan.interest_accrued
    return { ...loan, interest_billed, interest_accrued }
  })
  await post(
    tx,
    lines.map(({ loan }, index) => ({
      kind: 'bill' as const,
      value_on: period.to,
      partner_id: loan.partner_id,
      loan_id: loan.id,
      bill_id: billOf.get(loan.borrower_id)!,
      postings: loanPostings(loan.id, loan, after[index]!, 0n),
    })),
  )
  await addBilled(tx, after)
}
