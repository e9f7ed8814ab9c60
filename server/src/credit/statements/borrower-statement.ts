/** Serves a borrower's statement, built from ledger postings. */
import type { BorrowerStatement } from '@headroom/contract'
import { sql } from 'kysely'
import { type BorrowerRow, findBorrower, partyOf } from '../../companies/borrowers/index.ts'
import { type Call, type Context, type OrchestratedHandler, Reply } from '../../context.ts'
import {
  drawPdf,
  lenderOf,
  type PaperDocument,
  type StatementKind,
  statementDocument,
} from '../../integrations/documents/index.ts'
import { isSettled } from '../../money/payments/index.ts'
import { viewRows } from '../../platform/db/page.ts'
import { readForPartner, type Tx } from '../../platform/db/transaction.ts'
import { type Day, readWireDay, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import type { BillRow } from '../bills/store.ts'
import { feeDueOn } from '../subscriptions/index.ts'
import { type Period, type RowKind, readStatement, type Statement } from './statement-rows.ts'

type StatementCall = Call<'getBorrowerStatement'>

export const getBorrowerStatement: OrchestratedHandler<'getBorrowerStatement'> = {
  orchestrate: async (context, call) => {
    const { from, to } = readPeriod(call.query)
    const read = await readStatementFor(context, call, { from, to })
    if (!('paper' in read)) return read.json
    const content = await drawPdf(call.caller.partner_id, read.paper)
    return new Reply(content, {
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': `inline; filename="statement-${from}-${to}.pdf"`,
      },
    })
  },
}

/** The JSON to return, or the document, which is rendered after the connection is released. */
function readStatementFor(
  context: Context,
  { params, query, caller }: StatementCall,
  period: Period,
): Promise<{ json: BorrowerStatement } | { paper: PaperDocument }> {
  return readForPartner(context, caller.partner_id, async tx => {
    const borrower = await findBorrower(tx, caller.partner_id, params.borrower_id)
    if (!borrower) throw problem('resource_unknown')
    const statement = await readStatement(tx, borrower, period)
    if (query.format === 'json') return { json: await view(tx, borrower, period, statement) }
    return { paper: paperOf(tx, borrower, period, statement) }
  })
}

function readPeriod(query: { from: string; to: string }): Period {
  const [from, to] = [readWireDay(query.from), readWireDay(query.to)]
  if (!from) throw invalid({ name: 'from', reason: 'is not a day' })
  if (!to) throw invalid({ name: 'to', reason: 'is not a day' })
  if (to < from) throw invalid({ name: 'to', reason: 'is before from' })
  return { from, to }
}

async function view(
  tx: Tx,
  borrower: BorrowerRow,
  { from, to }: Period,
  { opening, closing, unbilled, payoff, movements }: Statement,
): Promise<BorrowerStatement> {
  const bills = await tx.all(sql<BillRow & { lapsed: bigint; credited: bigint }>`
    select b.*, l.lapsed, l.credited from bills b
    cross join lateral (select coalesce(sum(lapsed), 0)::bigint as lapsed,
      coalesce(sum(credited), 0)::bigint as credited from bill_lines
      where partner_id = b.partner_id and bill_id = b.id) l
    where b.borrower_id = ${borrower.id} and b.partner_id = ${borrower.partner_id}
      and b.period_to between ${from}::date and ${to}::date and b.status <> 'INVALID'
    order by b.id`)
  return {
    borrower_id: borrower.id,
    from: wireDay(from),
    to: wireDay(to),
    currency: 'EUR',
    opening_balance: toWire(opening),
    closing_balance: toWire(closing),
    unbilled_interest: toWire(unbilled),
    payoff_balance: toWire(payoff),
    movements: await viewRows(movements, ({ value_on, booked_at, ...m }) => ({
      ...m,
      value_date: wireDay(value_on),
      booked_at: booked_at.toISOString(),
      principal: toWire(m.principal),
      interest: toWire(m.interest),
      fee: toWire(m.fee),
      written_off: toWire(m.written_off),
      refund: toWire(m.refund),
      amount: toWire(m.amount),
      balance: toWire(m.balance),
    })),
    bills: await viewRows(bills, bill => ({
      id: bill.id,
      invoice_number: bill.invoice_number,
      status: bill.status,
      start_date: wireDay(bill.period_from),
      end_date: wireDay(bill.period_to),
      due_date: wireDay(bill.due_on),
      amount: toWire(bill.amount),
      paid_amount: toWire(bill.amount_paid - bill.lapsed - bill.credited),
      credited_amount: toWire(bill.credited),
      lapsed_amount: toWire(bill.lapsed),
      open_amount: toWire(bill.amount - bill.amount_paid),
    })),
    fees: await readFees(tx, borrower, { from, to }),
  }
}

async function readFees(
  tx: Tx,
  { partner_id, id }: BorrowerRow,
  { from, to }: Period,
): Promise<BorrowerStatement['fees']> {
  const fees = await tx.all(sql<{
    subscription_id: string
    month: Day
    amount: bigint
    reference: string | null
    is_paid: boolean
  }>`
    select f.subscription_id, f.month, f.amount, f.reference,
      ${isSettled('p')} as is_paid
    from subscriptions s
    join subscription_fees f on f.partner_id = s.partner_id and f.subscription_id = s.id
    left join payments p on p.partner_id = f.partner_id and p.id = f.payment_id
    where s.partner_id = ${partner_id} and s.borrower_id = ${id}
      and f.month between ${from}::date and ${to}::date
    order by f.month, f.id`)
  return fees.map(({ subscription_id, month, amount, reference, is_paid }) => ({
    subscription_id,
    month: wireDay(month),
    due_date: wireDay(feeDueOn(month)),
    amount: toWire(amount),
    open_amount: is_paid ? 0 : toWire(amount),
    reference,
  }))
}

const KINDS: Record<RowKind, StatementKind> = {
  payout: 'paid_out',
  card_cycle: 'card_spending',
  repayment: 'repaid',
  bill_payment: 'repaid',
  interest: 'interest',
  bill: 'interest',
  payout_returned: 'returned',
  repayment_returned: 'returned',
  refund: 'refunded',
  refund_returned: 'returned',
  recovery: 'recovered',
  recovery_returned: 'returned',
  write_off: 'written_off',
  interest_stop: 'interest',
  credit_note: 'credited',
  credit_set_off: 'set_off',
  surplus_moved: 'set_off',
  subscription_fee: 'fee',
  subscription_fee_paid: 'repaid',
  subscription_fee_returned: 'returned',
  credit_refund: 'refunded',
  credit_refund_returned: 'returned',
}

function paperOf(tx: Tx, borrower: BorrowerRow, period: Period, statement: Statement) {
  const { opening, closing, unbilled, payoff, movements } = statement
  return statementDocument({
    document_id: tx.newId(),
    issued_on: tx.today,
    language: borrower.preferred_language,
    lender: lenderOf(tx.settings.lender),
    borrower: partyOf(borrower),
    currency: 'EUR',
    period,
    opening,
    closing,
    unbilled,
    payoff,
    lines: movements.map(({ value_on, loan_reference, kind, amount, balance }) => ({
      on: value_on,
      loan_reference,
      amount,
      balance,
      kind: KINDS[kind],
    })),
  })
}
