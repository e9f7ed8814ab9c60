/** Turns the body of a loan request into what the rules and the store work with. Pure. */
import type { CreateLoanBody } from '@headroom/contract'
import { canonicalJson, sha256 } from '../kit/crypto.ts'
import { type Day, readWireDay } from '../kit/dates.ts'
import { parseBic, parseIban } from '../kit/iban.ts'
import { parseCompanyIdentifier } from '../kit/identifiers/index.ts'
import { fromWire } from '../kit/money.ts'
import type { InvalidParam } from '../kit/problem.ts'

/** Body of creation or preview: they differ in the salt alone. */
export type LoanBody = Omit<CreateLoanBody, 'salt_id'> & { salt_id?: string | null }

export interface LoanRequest {
  readonly body: LoanBody
  /** Which company the loan is for. */
  readonly company_key: string
  readonly amount: bigint
  readonly to_pay_on: Day
  readonly to_repay_on: Day
  /** The IBAN to pay to, in its canonical form; null for other kinds of account. */
  readonly iban: string | null
  /** The holder of the account that the request names, by company key or by name. */
  readonly holder: { readonly company_key: string } | { readonly name: string } | null
  /** False when the account's bank identifier has the form of none. */
  readonly bank_known: boolean
}

export type ReadRequest =
  | { readonly request: LoanRequest }
  | { readonly faults: readonly InvalidParam[] }

/** Equal for requests that mean the same, however their keys are ordered and days written. */
export function requestHash({ wait_for_validation: _, ...body }: LoanBody): string {
  const account_number = body.loan_to.account_number.replace(/\s/g, '').toUpperCase()
  return sha256(
    canonicalJson({
      ...body,
      to_pay_at: readWireDay(body.to_pay_at),
      to_repay_at: readWireDay(body.to_repay_at),
      loan_to: { ...body.loan_to, account_number },
      metadata: body.metadata ?? {},
    }),
  )
}

/** Reads a request as of `today`, or names every fault that the schema could not see. */
export function readRequest(today: Day, body: LoanBody): ReadRequest {
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  const { to_pay_on, to_repay_on } = readDays(today, body, fault)
  const iban = readAccount(body, fault)
  const company_key = readCompany(body, fault)
  const holder = readHolder(body, fault)
  if (faults.length > 0 || !to_pay_on || !to_repay_on || !company_key) return { faults }
  const amount = fromWire(body.amount)
  const bank_known = readBank(body)
  return {
    request: { body, company_key, amount, to_pay_on, to_repay_on, iban, holder, bank_known },
  }
}

/**
 * The same look at a request of which some fields are faulty already: those that are well-formed
 * by themselves are in `fields`. Answers the faults, and the company when it is told.
 */
export function inspectRequest(
  today: Day,
  fields: Partial<LoanBody>,
): { faults: InvalidParam[]; company_key: string | null } {
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  readDays(today, fields, fault)
  if (fields.loan_to) {
    readAccount({ loan_to: fields.loan_to }, fault)
    readHolder({ loan_to: fields.loan_to }, fault)
  }
  const { borrower } = fields
  return { faults, company_key: borrower ? readCompany({ borrower }, fault) : null }
}

type Fault = (name: string, reason: string) => void

function readDays(
  today: Day,
  body: Pick<Partial<LoanBody>, 'to_pay_at' | 'to_repay_at'>,
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

type Account = Pick<LoanBody, 'loan_to'>

/** Reads the account to pay to by itself, as a change of a loan names it. */
export function readPayee(
  account: Account,
  fault: Fault,
): Pick<LoanRequest, 'iban' | 'holder' | 'bank_known'> {
  const iban = readAccount(account, fault)
  return { iban, holder: readHolder(account, fault), bank_known: readBank(account) }
}

function readAccount({ loan_to }: Account, fault: Fault): string | null {
  if (loan_to.account_number_type !== 'iban') return null
  const parsed = parseIban(loan_to.account_number)
  if (!parsed.ok) fault('loan_to.account_number', parsed.reason)
  return parsed.ok ? parsed.iban : null
}

function readHolder({ loan_to }: Account, fault: Fault): LoanRequest['holder'] {
  const { account_holder: holder } = loan_to
  if (!holder) return null
  if (holder.identifier_type === 'name') return { name: holder.identifier }
  const parsed = parseCompanyIdentifier(holder.identifier, holder.identifier_type)
  if (!parsed.ok) fault('loan_to.account_holder.identifier', parsed.reason)
  return parsed.ok ? { company_key: parsed.company_key } : null
}

function readBank({ loan_to }: Account): boolean {
  const { bank_identifier, bank_identifier_type } = loan_to
  return !bank_identifier || bank_identifier_type !== 'bic' || parseBic(bank_identifier).ok
}

function readCompany({ borrower }: Pick<LoanBody, 'borrower'>, fault: Fault): string | null {
  const { identifier, identifier_type } = borrower
  if (identifier_type === 'name') {
    fault('borrower.identifier_type', 'a borrower is named by its company number')
    return null
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type ?? undefined)
  if (!parsed.ok) fault('borrower.identifier', parsed.reason)
  return parsed.ok ? parsed.company_key : null
}
