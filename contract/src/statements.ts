/** Statements: what moved between two days on all loans of a borrower, as the books have it. */
import { z } from 'zod'
import { operations } from './define.ts'
import { BillStatus } from './enums.ts'
import { Currency, DayAnswer, Id, Moment, WireDay } from './shared.ts'

const Movement = z.object({
  /** The entry in the books; interest that came due with it is a row of its own. */
  id: Id,
  kind: z.string(),
  value_date: DayAnswer,
  booked_at: Moment,
  /**
   * Null when a credit note is paid back, whose number stands for the reference then, and of
   * monthly fees of products, told by their month.
   */
  loan_id: Id.nullable(),
  loan_reference: z.string(),
  payment_id: Id.nullable(),
  bill_id: Id.nullable(),
  /** Cents that each part of the debt grew by, or shrank. */
  principal: z.int(),
  interest: z.int(),
  fee: z.int(),
  /** What is to be given back grew by this. */
  refund: z.int(),
  /** What of the debt the lender has given up grew by this; it is owed all the same. */
  written_off: z.int(),
  amount: z.int(),
  balance: z.int(),
})

const StatementBill = z.object({
  id: Id,
  invoice_number: z.string().nullable(),
  status: BillStatus,
  start_date: DayAnswer,
  end_date: DayAnswer,
  due_date: DayAnswer,
  /** The sum of the amounts paid, credited (as in GET /bills), lapsed (written off) and open. */
  amount: z.int(),
  paid_amount: z.int(),
  credited_amount: z.int(),
  lapsed_amount: z.int(),
  open_amount: z.int(),
})

/** Balances are what the borrower owes: principal, interest and fees, less what it gets back. */
export const BorrowerStatement = z
  .object({
    borrower_id: Id,
    from: DayAnswer,
    to: DayAnswer,
    currency: Currency,
    opening_balance: z.int(),
    closing_balance: z.int(),
    /**
     * Interest to the last day, or to today where that is earlier, that no bill has asked for and
     * nobody has paid: it is not in the balances. Below zero, what the next bill takes back.
     */
    unbilled_interest: z.int(),
    /**
     * What paying everything off takes: the payoff of every loan, with bills and interest that are
     * open, and the monthly fees. More than the balances add up to while something is to be given
     * back: refunds go to their payers, and interest paid too much is credited by the next bill.
     */
    payoff_balance: z.int(),
    movements: z.array(Movement),
    bills: z.array(StatementBill),
  })
  .meta({ id: 'BorrowerStatement' })
export type BorrowerStatement = z.infer<typeof BorrowerStatement>

export const statementOperations = operations({
  getBorrowerStatement: {
    method: 'GET',
    path: '/borrower/{borrower_id}/statement',
    summary: 'Read the statement of a borrower',
    description:
      'By value date, both days counted in. A row of money is the money that moved; interest ' +
      'that came due with it is a row before it, of kind interest and with the same id. ' +
      'Interest enters the balance when it is billed or paid; what has accrued since is ' +
      'unbilled_interest. payoff_balance is what paying everything off takes: what is to be ' +
      'given back takes nothing off it. ' +
      'With format pdf the same comes on paper.',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    params: z.object({ borrower_id: Id }),
    query: z.strictObject({
      from: WireDay,
      to: WireDay,
      format: z.enum(['json', 'pdf']).default('json'),
    }),
    answer: BorrowerStatement,
    problems: [],
  },
})
