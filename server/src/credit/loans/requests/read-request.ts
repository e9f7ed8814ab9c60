/** Parses the body of a loan request for the rules and the store. Pure. */
import type { CreateLoanBody } from '@headroom/contract'
import { parseCompanyIdentifier } from '../../../countries/index.ts'
import { canonicalHash } from '../../../platform/kit/crypto.ts'
import { type Day, readWireDay } from '../../../platform/kit/dates.ts'
import { parseBic, parseIban } from '../../../platform/kit/iban.ts'
import { fromWire } from '../../../platform/kit/money.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { type Installment, installmentFaults } from '../installments.ts'
import { type LoanFile, readLoanFiles } from './read-files.ts'

/** The body for creating or previewing a loan. Only creation requires the client reference. */
export type LoanBody = Omit<CreateLoanBody, 'salt_id'> & { salt_id?: string | null }

/** The account a loan is paid out to. */
export interface Payee {
  /** The canonical IBAN; null for other types of account. */
  readonly iban: string | null
  /** The IBAN, or the number of another type of account. */
  readonly to_number: string
  /** Whether the request calls the account a wallet, which is an account at our bank. */
  readonly wallet: boolean
  /** The account holder named in the request, by company key or name. */
  readonly holder: Holder | null
  /** False if the account's bank identifier is a malformed BIC. */
  readonly bank_known: boolean
}

export interface LoanRequest extends Payee {
  readonly body: LoanBody
  /** The company that borrows. */
  readonly company_key: string
  readonly amount: bigint
  readonly to_pay_on: Day
  readonly to_repay_on: Day
  /** The account to be paid for the invoices, if the request names one. */
  readonly to_account: {
    readonly iban: string | null
    readonly wallet: string | null
    readonly holder: Holder | null
  } | null
  /** Empty if the loan is repaid in one amount. */
  readonly installments: readonly Installment[]
  readonly files: readonly LoanFile[]
}

export type Holder = { readonly company_key: string } | { readonly name: string }

/**
 * The result of parsing; `request` is null if an error was found or a required field is missing.
 */
export interface ReadRequest {
  readonly faults: readonly InvalidParam[]
  /** The company, even if other fields are invalid; null if it could not be read. */
  readonly company_key: string | null
  readonly request: LoanRequest | null
}

/** A hash that is equal for equivalent requests, whatever their key order or date format. */
export function requestHash({ wait_for_validation: _, ...body }: LoanBody): Promise<string> {
  const account_number = body.loan_to.account_number.replace(/\s/g, '').toUpperCase()
  const { installments, invoices } = body
  return canonicalHash({
    ...body,
    to_pay_at: readWireDay(body.to_pay_at),
    to_repay_at: readWireDay(body.to_repay_at),
    loan_to: { ...body.loan_to, account_number },
    installments:
      installments?.map(({ date, ...i }) => ({ ...i, date: readWireDay(date) })) ?? null,
    invoices: invoices.map(({ issued_at, due_at, ...invoice }) => ({
      ...invoice,
      issued_at: readWireDay(issued_at),
      due_at: readWireDay(due_at),
    })),
    metadata: body.metadata ?? {},
  })
}

/** Parses a request as of `today`, or names every error that the schema cannot detect. */
export function readRequest(today: Day, body: WellFormed<LoanBody>): ReadRequest {
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  const { to_pay_on, to_repay_on } = readDays(today, body, fault)
  const payee = readPayee(body, fault)
  const company_key = readCompany(body.borrower, fault)
  const to_account = readToAccount(body, fault)
  const installments = readInstallments(body, fault)
  const files = readLoanFiles(body, fault)
  const amount = body.amount === undefined ? null : fromWire(body.amount)
  const complete = company_key && payee && amount !== null && to_pay_on && to_repay_on
  if (faults.length > 0 || !complete) return { faults, company_key, request: null }
  const money = { amount, to_pay_on, to_repay_on, installments }
  // Safe to cast: a body with missing parts is refused in any case.
  const whole = body as LoanBody
  const request = { body: whole, company_key, ...money, ...payee, to_account, files }
  return { faults, company_key, request }
}

export type Fault = (name: string, reason: string) => void

function readDays(
  today: Day,
  body: Pick<WellFormed<LoanBody>, 'to_pay_at' | 'to_repay_at'>,
  fault: Fault,
) {
  const read = (name: 'to_pay_at' | 'to_repay_at') => {
    const text = body[name]
    const read = text === undefined ? null : readWireDay(text)
    if (text !== undefined && !read) fault(name, 'is not a day')
    return read
  }
  const to_pay_on = read('to_pay_at')
  const to_repay_on = read('to_repay_at')
  if (to_pay_on && to_pay_on < today) fault('to_pay_at', 'is in the past')
  if (to_pay_on && to_repay_on && to_repay_on <= to_pay_on) {
    fault('to_repay_at', 'must be after to_pay_at')
  }
  return { to_pay_on, to_repay_on }
}

type Account = LoanBody['loan_to']

/** Reads the payout account of a loan request or a loan change; null if it is missing. */
export function readPayee(
  { loan_to }: { loan_to?: WellFormed<Account> | null | undefined },
  fault: Fault,
): Payee | null {
  if (!loan_to) return null
  const iban = readIban('loan_to', loan_to, fault)
  const holder = readHolder('loan_to', loan_to, fault)
  const to_number = iban ?? loan_to.account_number
  if (to_number === undefined) return null
  return { iban, to_number, wallet: isWallet(loan_to), holder, bank_known: readBank(loan_to) }
}

function isWallet({ account_number_type }: WellFormed<Account>): boolean {
  return account_number_type === 'internal_id'
}

function readIban(name: string, account: WellFormed<Account>, fault: Fault): string | null {
  const { account_number, account_number_type } = account
  if (!account_number || account_number_type !== 'iban') return null
  const parsed = parseIban(account_number)
  if (!parsed.ok) fault(`${name}.account_number`, parsed.reason)
  return parsed.ok ? parsed.iban : null
}

function readHolder(
  name: string,
  { account_holder }: WellFormed<Account>,
  fault: Fault,
): Holder | null {
  const { identifier, identifier_type } = account_holder ?? {}
  if (!identifier || !identifier_type) return null
  if (identifier_type === 'name') return { name: identifier }
  const parsed = parseCompanyIdentifier(identifier, identifier_type)
  if (!parsed.ok) fault(`${name}.account_holder.identifier`, parsed.reason)
  return parsed.ok ? { company_key: parsed.company_key } : null
}

function readToAccount({ to_account }: WellFormed<LoanBody>, fault: Fault) {
  if (!to_account) return null
  const iban = readIban('to_account', to_account, fault)
  const wallet = isWallet(to_account) ? (to_account.account_number ?? null) : null
  return { iban, wallet, holder: readHolder('to_account', to_account, fault) }
}

function readInstallments(body: WellFormed<LoanBody>, fault: Fault): Installment[] {
  const given = body.installments ?? []
  if (body.installment_plan_type === 'IN_FINE') {
    if (given.length > 0) fault('installments', 'are for installment_plan_type INSTALLMENTS')
    return []
  }
  if (body.installment_plan_type && given.length === 0) {
    fault('installments', 'are required for installment_plan_type INSTALLMENTS')
    return []
  }
  const read = given.map((one, index) => {
    const due_on = one?.date ? readWireDay(one.date) : null
    if (one?.date && !due_on) fault(`installments.${index}.date`, 'is not a day')
    return { due_on, amount: one?.amount === undefined ? null : fromWire(one.amount) }
  })
  const dayOf = (text: string | undefined) => (text ? readWireDay(text) : null)
  const loan = {
    amount: body.amount === undefined ? null : fromWire(body.amount),
    to_pay_on: dayOf(body.to_pay_at),
    to_repay_on: dayOf(body.to_repay_at),
  }
  for (const { name, reason } of installmentFaults(read, loan)) fault(name, reason)
  return read.flatMap(({ due_on, amount }) =>
    due_on && amount !== null ? [{ due_on, amount }] : [],
  )
}

function readBank({ bank_identifier, bank_identifier_type }: WellFormed<Account>): boolean {
  return !bank_identifier || bank_identifier_type !== 'bic' || parseBic(bank_identifier).ok
}

function readCompany(borrower: WellFormed<LoanBody>['borrower'], fault: Fault): string | null {
  const { identifier, identifier_type } = borrower ?? {}
  if (!identifier) return null
  if (identifier_type === 'name') {
    fault('borrower.identifier_type', 'a borrower is named by its company number')
    return null
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type ?? undefined)
  if (!parsed.ok) fault('borrower.identifier', parsed.reason)
  return parsed.ok ? parsed.company_key : null
}
