/** The lender's bank accounts: balances, statements, and the daily tie-out of books and bank. */
import { z } from 'zod'
import { bankStatementMachine } from '../bank-statements.ts'
import { Cents, DayAnswer, Id, Moment, page, pageQuery, WireDay } from '../shared.ts'
import { adminTable } from './define.ts'

export const TIE_OUT_RESULTS = ['WAITING', 'TIED', 'DIFFERENT'] as const
const TieOutResult = z.enum(TIE_OUT_RESULTS)

export const BankAccount = z
  .object({
    id: Id,
    iban: z.string(),
    /** Empty for a former account, and for one that only the bank names. */
    roles: z.array(z.enum(['COLLECTION', 'FUNDING'])),
    /** Cash in the books now. */
    ledger_balance: Cents,
    /** The closing balance of the last booked statement, and its day. */
    bank_balance: Cents.nullable(),
    bank_balance_on: DayAnswer.nullable(),
    /** The last day that was compared. */
    tied_out_on: DayAnswer.nullable(),
    tie_out: TieOutResult.nullable(),
    /** News that moved cash and is not booked yet. */
    unbooked: z.int(),
    /** What the account held when its books began; null unless it was entered. */
    opening_balance: Cents.nullable(),
    opened_on: DayAnswer.nullable(),
  })
  .meta({ id: 'BankAccount' })
export type BankAccount = z.infer<typeof BankAccount>

export const BankStatement = z
  .object({
    id: Id,
    statement_id: z.string(),
    sequence: z.int(),
    from_on: DayAnswer,
    to_on: DayAnswer,
    opening: Cents,
    closing: Cents,
    entries: z.int(),
    status: z.enum(bankStatementMachine.statuses),
    refused_for: z.string().nullable(),
    received_at: Moment,
  })
  .meta({ id: 'BankStatement' })
export type BankStatement = z.infer<typeof BankStatement>

export const TieOut = z
  .object({
    id: Id,
    day: DayAnswer,
    /** The bank's closing booked balance. */
    closing: Cents,
    /** Cash in the books by the bank's booking date. */
    ledger: Cents,
    /** What the books have beyond the bank; negative if they have less. */
    difference: Cents,
    result: TieOutResult,
    checked_at: Moment,
  })
  .meta({ id: 'TieOut' })
export type TieOut = z.infer<typeof TieOut>

/** An entry on a statement, or the news that it is about. */
export const BankLine = z
  .object({
    bank_reference: z.string(),
    kind: z.string(),
    /** Positive if received, negative if sent. */
    moved: Cents,
    booked_on: DayAnswer,
    value_on: DayAnswer,
    payment_id: Id.nullable(),
    text: z.string().nullable(),
    /** How the news was booked; null if it is not booked yet. */
    outcome: z.string().nullable(),
  })
  .meta({ id: 'BankLine' })
export type BankLine = z.infer<typeof BankLine>

const Lines = z.object({ data: z.array(BankLine), total: z.int() })

export const TieOutDetails = TieOut.extend({
  bank_account_id: Id,
  iban: z.string(),
  statement: BankStatement,
  /** Entries of the statement, up to 500. */
  entries: Lines,
  /** Cash booked since the last day that tied, which is on no statement. Up to 100. */
  in_books_only: Lines,
  /** Entries since the last day that tied, not booked as the statement has them. Up to 100. */
  at_bank_only: Lines,
}).meta({ id: 'TieOutDetails' })
export type TieOutDetails = z.infer<typeof TieOutDetails>

const AccountParams = z.object({ bank_account_id: Id })

export const bankAccountWork = adminTable({
  listBankAccounts: {
    method: 'GET',
    path: '/admin/bank-accounts',
    summary: "List the lender's bank accounts with their balances",
    requires: 'viewer',
    success: 200,
    answer: z.object({ data: z.array(BankAccount) }),
    problems: [],
  },
  listBankStatements: {
    method: 'GET',
    path: '/admin/bank-account/{bank_account_id}/statements',
    summary: "List an account's statements, newest first",
    requires: 'viewer',
    success: 200,
    params: AccountParams,
    query: z.strictObject(pageQuery),
    answer: page(BankStatement),
    problems: [],
  },
  listTieOuts: {
    method: 'GET',
    path: '/admin/bank-account/{bank_account_id}/tie-outs',
    summary: 'List the days on which books and bank were compared, newest first',
    requires: 'viewer',
    success: 200,
    params: AccountParams,
    query: z.strictObject(pageQuery),
    answer: page(TieOut),
    problems: [],
  },
  getTieOut: {
    method: 'GET',
    path: '/admin/tie-out/{tie_out_id}',
    summary: 'Read a day of an account, with the entries that explain a difference',
    requires: 'viewer',
    success: 200,
    params: z.object({ tie_out_id: Id }),
    answer: TieOutDetails,
    problems: [],
  },
  setOpeningBalance: {
    method: 'POST',
    path: '/admin/bank-account/{bank_account_id}/opening-balance',
    summary: 'Enter what an account held before its first payment in these books',
    description:
      'For an account that is taken over with money on it. `date` is a day before the first ' +
      'statement and the first payment; the balance is the one at its end, negative for an ' +
      'overdraft. It is entered once.',
    requires: 'admin',
    success: 204,
    params: AccountParams,
    body: z.strictObject({ amount: Cents, date: WireDay }),
    answer: z.null(),
    problems: ['state_conflict'],
  },
})
