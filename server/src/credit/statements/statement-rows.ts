/**
 * Computes the rows of a borrower's statement: per entry, the money moved and the amounts that
 * became due.
 */
import { type RawBuilder, sql } from 'kysely'
import type { BorrowerRow } from '../../companies/borrowers/index.ts'
import { firstOf } from '../../platform/db/first-of.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'
import { maxAmount } from '../../platform/kit/money.ts'
import type { AccountCode, EntryKind } from '../../platform/ledger/index.ts'
import { type LoanRow, readStepsAsOf } from '../loans/index.ts'
import { feesTo } from '../loans/interest.ts'

export interface Period {
  readonly from: Day
  readonly to: Day
}

/**
 * The kind of a row: interest that became due, or the kind of its entry. Excludes kinds that do not
 * concern a borrower's debt.
 */
export type RowKind =
  | 'interest'
  | Exclude<
      EntryKind,
      | `${'funding' | 'partner_share' | 'processor'}_${string}`
      | `${'recollection' | 'revenue' | 'suspense'}_${string}`
      | `${'bank' | 'transfer'}_${string}`
      | 'opening_balance'
      | 'card_clearing'
      | 'card_refund'
      | 'partner_share'
    >

/**
 * The effect of an entry on the debt, in cents. `refund` is the change in what the lender owes the
 * borrower, so it reduces the debt.
 */
interface StatementEntry {
  id: string
  kind: RowKind
  value_on: Day
  booked_at: Date
  /**
   * Null for refunds of credit notes and for monthly fees. `loan_reference` is then the credit
   * note's number, or the fee's month.
   */
  loan_id: string | null
  loan_reference: string
  payment_id: string | null
  bill_id: string | null
  principal: bigint
  interest: bigint
  refund: bigint
  fee: bigint
  /** The change in the written-off amount, which the borrower still owes. */
  written_off: bigint
  /** Interest, mark-up included, that the entry earned. */
  earned: bigint
}

export interface StatementRow extends Omit<StatementEntry, 'earned'> {
  amount: bigint
  balance: bigint
}

export interface Statement {
  readonly opening: bigint
  readonly closing: bigint
  /** Accrued interest that is neither billed nor paid. */
  readonly unbilled: bigint
  /**
   * The payoff amounts of all loans at the end of the period, each computed separately, and the
   * unpaid fees.
   */
  readonly payoff: bigint
  readonly movements: readonly StatementRow[]
}

/**
 * The running balance, in cents, covers principal, interest and monthly fees, less refunds owed. A
 * payment's row shows the money that moved. Interest that the payment made due is a separate row
 * before it.
 */
export async function readStatement(
  tx: Tx,
  borrower: BorrowerRow,
  { from, to }: Period,
): Promise<Statement> {
  const booked = await readBooked(tx, borrower, to)
  const rows = booked.flatMap(rowsOf)
  const earned = booked.reduce((sum, entry) => sum + entry.earned, 0n)
  let balance = 0n
  let opening = 0n
  const movements: StatementRow[] = []
  for (const row of rows) {
    balance += row.amount
    if (row.value_on < from) opening = balance
    else movements.push({ ...row, balance })
  }
  const costs = await costsTo(tx, borrower, to)
  const accrued = [...costs.values()].reduce((sum, cost) => sum + cost, 0n)
  const unbilled = accrued - earned
  return { opening, closing: balance, unbilled, payoff: payoffBy(booked, costs), movements }
}

/**
 * The interest of a borrower's loans, by loan id, up to and including a day, but no later than
 * yesterday. Like the balance, it includes only facts with a value date up to that day.
 */
async function costsTo(
  tx: Tx,
  { id, partner_id }: BorrowerRow,
  to: Day,
): Promise<Map<string, bigint>> {
  const loans = await tx.all(sql<LoanRow>`
    select * from loans where borrower_id = ${id}
      and partner_id = ${partner_id} and fees_payer = 'BORROWER'`)
  const steps = await readStepsAsOf(tx, loans, to)
  const before = to < tx.today ? addDays(to, 1) : tx.today
  return new Map(loans.map(loan => [loan.id, feesTo(steps.get(loan.id) ?? [], loan, before)]))
}

/**
 * The payoff amount, computed per loan. The next bill credits overpaid interest, and surplus is
 * refunded to its payer, so neither reduces another debt.
 */
function payoffBy(booked: readonly StatementEntry[], costs: ReadonlyMap<string, bigint>): bigint {
  let payoff = maxAmount(
    booked.reduce((sum, { fee }) => sum + fee, 0n),
    0n,
  )
  const byLoan = Map.groupBy(booked, entry => entry.loan_id)
  for (const [loan_id, entries] of byLoan) {
    if (loan_id === null) continue
    const principal = entries.reduce((sum, entry) => sum + entry.principal, 0n)
    const paid = entries.reduce((sum, { earned, interest }) => sum + earned - interest, 0n)
    payoff += principal + maxAmount((costs.get(loan_id) ?? 0n) - paid, 0n)
  }
  return payoff
}

/** The rows of an entry: first the interest that it made due, then the money that it moved. */
function rowsOf({ earned, ...entry }: StatementEntry): Omit<StatementRow, 'balance'>[] {
  const interest = entry.interest - earned
  const amount = entry.principal + interest + entry.fee - entry.refund
  const moved = { ...entry, interest, amount }
  const parts = [entry.principal, interest, entry.refund, entry.fee, entry.written_off]
  const touched = parts.some(part => part !== 0n)
  const kind: RowKind = entry.kind === 'bill' ? entry.kind : 'interest'
  const nothing = { principal: 0n, refund: 0n, fee: 0n, written_off: 0n }
  const due = { ...entry, kind, ...nothing, interest: earned, amount: earned }
  return [...(earned === 0n ? [] : [due]), ...(touched ? [moved] : [])]
}

/**
 * The ledger entries of a borrower's loans, credit notes and monthly fees up to a day. Excludes
 * interest that a partner pays or overpays. A write-off does not reduce the debt, but a recovery
 * does. The unused part of a credit note is owed to the borrower until it is set off or refunded.
 */
function readBooked(tx: Tx, { id, partner_id }: BorrowerRow, to: Day): Promise<StatementEntry[]> {
  return tx.all(sql<StatementEntry>`
    select e.id, e.kind, e.value_on, e.booked_at, e.loan_id, e.payment_id, e.bill_id,
      l.repayment_reference as loan_reference,
      ${moved('loan_principal', 'principal_written_off', 'principal_recovered')} as principal,
      case l.fees_payer when 'BORROWER' then ${moved(...OWED_INTEREST)} else 0 end as interest,
      -${moved('refunds_payable', 'credit_notes_payable')} as refund, 0 as fee,
      case l.fees_payer when 'BORROWER' then ${moved(...WRITTEN_OFF)}
        else ${moved('principal_written_off', 'principal_recovered')} end as written_off,
      case l.fees_payer when 'BORROWER' then -${moved('interest_income', 'partner_share')}
        else 0 end as earned
    from loans l
    join ledger_entries e on e.partner_id = l.partner_id and e.loan_id = l.id
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on a.partner_id = p.partner_id and a.id = p.account_id
    where l.borrower_id = ${id} and l.partner_id = ${partner_id} and e.value_on <= ${to}::date
      and e.kind not in ('partner_share', 'partner_share_returned')
      and (l.fees_payer = 'BORROWER' or e.kind not in ('bill', 'credit_note', 'credit_set_off')
        and not ${paidBillsOnly()})
    group by e.partner_id, e.id, l.partner_id, l.id
    union all
    select e.id, e.kind, e.value_on, e.booked_at, null, e.payment_id, e.bill_id,
      b.invoice_number, 0, 0, -p.amount, 0, 0, 0
    from bills b
    join ledger_entries e on e.partner_id = b.partner_id and e.bill_id = b.id
      and e.kind in ('credit_refund', 'credit_refund_returned')
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on a.partner_id = p.partner_id and a.id = p.account_id
      and a.code = 'credit_notes_payable'
    where b.borrower_id = ${id} and b.partner_id = ${partner_id} and e.value_on <= ${to}::date
    union all
    select e.id, e.kind, e.value_on, e.booked_at, null, e.payment_id, null,
      'FEE ' || to_char(coalesce((select min(f.month) from fee_payments n
        join subscription_fees f on f.partner_id = n.partner_id and f.id = n.fee_id
        where n.partner_id = y.partner_id
          and n.payment_id = ${firstOf('y.charged_back_payment_id', 'y.id')}),
          e.value_on), 'YYYY-MM'),
      0, 0, 0, p.amount, 0, 0
    from ledger_accounts a
    join ledger_postings p on p.partner_id = a.partner_id and p.account_id = a.id
    join ledger_entries e on e.partner_id = p.partner_id and e.id = p.entry_id
    left join payments y on y.partner_id = e.partner_id and y.id = e.payment_id
    where a.partner_id = ${partner_id} and a.owner_id = ${id}
      and a.code = 'subscription_receivable' and e.value_on <= ${to}::date
    order by value_on, id`)
}

const WRITTEN_OFF = [
  ...(['principal_written_off', 'principal_recovered'] as const),
  ...(['interest_written_off', 'interest_recovered', 'mark_up_written_off'] as const),
]

const OWED_INTEREST = [
  ...(['interest_accrued', 'interest_billed'] as const),
  ...(['interest_written_off', 'interest_recovered', 'mark_up_written_off'] as const),
]

/**
 * Whether the payment of entry `e` paid bills of loan `l` and no principal. An entry for the return
 * of a payment, the refund of its excess, or the return of that refund counts as the payment's own.
 */
function paidBillsOnly(): RawBuilder<boolean> {
  return sql`coalesce((select bool_and(m.kind <> 'REPAYMENT') from payments y
    join payments o on o.partner_id = y.partner_id
      and o.id = ${firstOf('y.charged_back_payment_id', 'y.id')}
    join loan_movements m on m.partner_id = o.partner_id
      and m.payment_id = ${firstOf('o.refunded_payment_id', 'o.id')}
    where y.partner_id = l.partner_id and y.id = e.payment_id and m.loan_id = l.id
      and m.kind in ('REPAYMENT', 'BILL_PAYMENT', 'EXTRA')), false)`
}

/** Cents that an entry moved on accounts `a`, from its postings `p`. */
function moved(...codes: AccountCode[]): RawBuilder<bigint> {
  return sql<bigint>`coalesce(sum(p.amount) filter (
    where a.code = any(${codes}::text[])), 0)::bigint`
}
