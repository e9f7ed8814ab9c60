/** Statements: all movements of a borrower's debt in a period, from the books. */
import { z } from 'zod'
import { operations } from './define.ts'
import { BillStatus } from './enums.ts'
import { Currency, DayAnswer, Id, Moment, WireDay } from './shared.ts'

const Movement = z.object({
  /**
   * The id of the ledger entry. If the entry also makes interest due, that interest is a second row
   * with the same id.
   */
  id: Id,
  kind: z.string(),
  value_date: DayAnswer,
  booked_at: Moment,
  /**
   * Null for the refund of a credit note and for a monthly fee. `loan_reference` is then the credit
   * note's number or the fee's month.
   */
  loan_id: Id.nullable(),
  loan_reference: z.string(),
  payment_id: Id.nullable(),
  bill_id: Id.nullable(),
  /** The change in each part of the debt, in cents. */
  principal: z.int(),
  interest: z.int(),
  fee: z.int(),
  /** The change in the amount to be refunded. */
  refund: z.int(),
  /** The change in the written-off amount, which is still owed. */
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

const StatementFee = z.object({
  subscription_id: Id,
  /** The first day of its month. */
  month: DayAnswer,
  due_date: DayAnswer,
  amount: z.int(),
  /** The whole amount until it is paid, then 0. */
  open_amount: z.int(),
  /** The reference with which a transfer pays the fee; null for old fees, which have none. */
  reference: z.string().nullable(),
})

/** Balances are the borrower's debt: principal, interest and fees, minus refunds due. */
export const BorrowerStatement = z
  .object({
    borrower_id: Id,
    from: DayAnswer,
    to: DayAnswer,
    currency: Currency,
    opening_balance: z.int(),
    closing_balance: z.int(),
    /**
     * Interest up to the last day, or today if earlier, neither billed nor paid, and therefore not
     * in the balances. If negative, the amount the next bill will credit.
     */
    unbilled_interest: z.int(),
    /**
     * The amount that settles everything: the payoff of every loan, including open bills and
     * interest, plus monthly fees. It exceeds the balance while refunds are due, because refunds go
     * to their payers and overpaid interest is credited by the next bill.
     */
    payoff_balance: z.int(),
    movements: z.array(Movement),
    bills: z.array(StatementBill),
    fees: z.array(StatementFee),
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
    long_lists: ['movements', 'bills'],
    problems: [],
  },
})
