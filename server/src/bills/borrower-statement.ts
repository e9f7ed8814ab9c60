/** The statement of a borrower, told by the postings of its loans. */
import type { BorrowerStatement } from '@headroom/contract'
import { sql } from 'kysely'
import { type BorrowerRow, findBorrower, partyOf } from '../borrowers/index.ts'
import { type Handler, Reply } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { drawPdf, type Language, lenderOf, statementDocument } from '../documents/index.ts'
import { type Day, readWireDay, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'
import { invalid, problem } from '../kit/problem.ts'
import type { BillRow } from './store.ts'

interface Movement {
  id: string
  kind: string
  value_on: Day
  booked_at: Date
  loan_id: string
  loan_reference: string
  payment_id: string | null
  bill_id: string | null
  principal: bigint
  interest: bigint
  refund: bigint
}

interface Period {
  readonly from: Day
  readonly to: Day
}

type Told = Movement & { amount: bigint; balance: bigint }

interface Statement {
  readonly opening: bigint
  readonly closing: bigint
  readonly movements: readonly Told[]
}

export const getBorrowerStatement: Handler<'getBorrowerStatement'> = async (tx, call) => {
  const { params, query, caller } = call
  const borrower = await findBorrower(tx, caller.partner_id, params.borrower_id)
  if (!borrower) throw problem('resource_unknown')
  const period = readPeriod(query)
  const statement = await readStatement(tx, borrower, period)
  if (query.format === 'json') return view(tx, borrower, period, statement)
  const content = await drawPdf(paperOf(tx, borrower, period, statement))
  return new Reply(content, {
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="statement-${period.from}-${period.to}.pdf"`,
    },
  })
}

function readPeriod(query: { from: string; to: string }): Period {
  const [from, to] = [readWireDay(query.from), readWireDay(query.to)]
  if (!from) throw invalid({ name: 'from', reason: 'is not a day' })
  if (!to) throw invalid({ name: 'to', reason: 'is not a day' })
  if (to < from) throw invalid({ name: 'to', reason: 'is before from' })
  return { from, to }
}

/** The balance runs over principal and interest, less what is to be given back. */
async function readStatement(
  tx: Tx,
  { id, partner_id }: BorrowerRow,
  { from, to }: Period,
): Promise<Statement> {
  const all = await tx.all(sql<Movement>`
    select e.id, e.kind, e.value_on, e.booked_at, e.loan_id, e.payment_id, e.bill_id,
      l.repayment_reference as loan_reference,
      coalesce(sum(p.amount) filter (where a.code = 'loan_principal'), 0)::bigint as principal,
      coalesce(sum(p.amount) filter (where a.code like 'interest\_%'
        and a.code <> 'interest_income' and l.fees_payer = 'BORROWER'), 0)::bigint as interest,
      -coalesce(sum(p.amount) filter (where a.code = 'refunds_payable'), 0)::bigint as refund
    from loans l
    join ledger_entries e on e.loan_id = l.id
    join ledger_postings p on p.entry_id = e.id
    join ledger_accounts a on a.id = p.account_id
    where l.borrower_id = ${id} and l.partner_id = ${partner_id} and e.value_on <= ${to}::date
    group by e.id, l.id order by e.value_on, e.id`)
  let balance = 0n
  let opening = 0n
  const movements: Told[] = []
  for (const movement of all) {
    const amount = movement.principal + movement.interest - movement.refund
    balance += amount
    if (movement.value_on < from) opening = balance
    else if (movement.principal !== 0n || movement.interest !== 0n || movement.refund !== 0n) {
      movements.push({ ...movement, amount, balance })
    }
  }
  return { opening, closing: balance, movements }
}

async function view(
  tx: Tx,
  borrower: BorrowerRow,
  { from, to }: Period,
  { opening, closing, movements }: Statement,
): Promise<BorrowerStatement> {
  const bills = await tx.all(sql<BillRow>`
    select * from bills where borrower_id = ${borrower.id} and partner_id = ${borrower.partner_id}
      and period_to between ${from}::date and ${to}::date and status <> 'INVALID' order by id`)
  return {
    borrower_id: borrower.id,
    from: wireDay(from),
    to: wireDay(to),
    currency: 'EUR',
    opening_balance: toWire(opening),
    closing_balance: toWire(closing),
    movements: movements.map(({ value_on, booked_at, ...m }) => ({
      ...m,
      value_date: wireDay(value_on),
      booked_at: booked_at.toISOString(),
      ...{ principal: toWire(m.principal), interest: toWire(m.interest) },
      ...{ refund: toWire(m.refund), amount: toWire(m.amount), balance: toWire(m.balance) },
    })),
    bills: bills.map(bill => ({
      id: bill.id,
      invoice_number: bill.invoice_number,
      status: bill.status as BorrowerStatement['bills'][number]['status'],
      start_date: wireDay(bill.period_from),
      end_date: wireDay(bill.period_to),
      due_date: wireDay(bill.due_on),
      amount: toWire(bill.amount),
      paid_amount: toWire(bill.amount_paid),
    })),
  }
}

const KINDS: Record<string, 'paid_out' | 'repaid' | 'interest' | 'returned' | 'refunded'> = {
  ...{ payout: 'paid_out', repayment: 'repaid', bill_payment: 'repaid', bill: 'interest' },
  ...{ payout_returned: 'returned', repayment_returned: 'returned', refund: 'refunded' },
  refund_returned: 'returned',
}

function paperOf(tx: Tx, borrower: BorrowerRow, period: Period, statement: Statement) {
  const { opening, closing, movements } = statement
  return statementDocument({
    document_id: tx.newId(),
    issued_on: tx.today,
    language: borrower.preferred_language as Language,
    lender: lenderOf(tx.settings.lender),
    borrower: partyOf(borrower),
    currency: 'EUR',
    ...{ period, opening, closing },
    lines: movements.map(({ value_on, loan_reference, kind, amount, balance }) => ({
      ...{ on: value_on, loan_reference, amount, balance },
      kind: KINDS[kind] ?? 'other',
    })),
  })
}
