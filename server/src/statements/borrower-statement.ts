/** The statement of a borrower, told by the postings of its loans. */
import type { BorrowerStatement } from '@headroom/contract'
import { sql } from 'kysely'
import type { BillRow } from '../bills/store.ts'
import { type BorrowerRow, findBorrower, partyOf } from '../borrowers/index.ts'
import { type Handler, Reply } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import {
  drawPdf,
  type Language,
  lenderOf,
  type StatementKind,
  statementDocument,
} from '../documents/index.ts'
import { readWireDay, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'
import { invalid, problem } from '../kit/problem.ts'
import { type Period, readStatement, type Statement } from './statement-rows.ts'

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
      ...{ principal: toWire(m.principal), interest: toWire(m.interest), fee: toWire(m.fee) },
      written_off: toWire(m.written_off),
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

const KINDS: Record<string, StatementKind> = {
  ...{ payout: 'paid_out', repayment: 'repaid', bill_payment: 'repaid' },
  ...{ interest: 'interest', bill: 'interest' },
  ...{ payout_returned: 'returned', repayment_returned: 'returned', refund: 'refunded' },
  ...{ refund_returned: 'returned', recovery: 'recovered', recovery_returned: 'returned' },
  ...{ write_off: 'written_off', credit_note: 'credited', credit_set_off: 'set_off' },
  ...{ subscription_fee: 'fee', subscription_fee_paid: 'repaid' },
  ...{ subscription_fee_returned: 'returned' },
  ...{ credit_refund: 'refunded', credit_refund_returned: 'returned' },
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
