/** Turns the body of a loan request into what the rules and the store work with. Pure. */
import type { CreateLoanBody } from '@headroom/contract'
import { canonicalJson, sha256 } from '../kit/crypto.ts'
import { type Day, readWireDay } from '../kit/dates.ts'
import { parseIban } from '../kit/iban.ts'
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
  /** The company that the request names as holder of the account, when it does. */
  readonly holder_key: string | null
}

export type ReadRequest =
  | { readonly request: LoanRequest }
  | { readonly faults: readonly InvalidParam[] }

/** Equal for requests with equal content, whatever the order of their keys. */
export function requestHash(body: object): string {
  return sha256(canonicalJson(body))
}

/** Reads a request as of `today`, or names every fault that the schema could not see. */
export function readRequest(today: Day, body: LoanBody): ReadRequest {
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  const { to_pay_on, to_repay_on } = readDays(today, body, fault)
  const iban = readAccount(body, fault)
  const company_key = readCompany(body, fault)
  const holder = body.loan_to.account_holder
  const holder_key = holder ? companyKey(holder.identifier, holder.identifier_type) : null
  if (holder && !holder_key) fault('loan_to.account_holder.identifier', 'is not a company number')
  if (faults.length > 0 || !to_pay_on || !to_repay_on || !company_key) return { faults }
  const amount = fromWire(body.amount)
  return { request: { body, company_key, amount, to_pay_on, to_repay_on, iban, holder_key } }
}

type Fault = (name: string, reason: string) => void

function readDays(today: Day, body: LoanBody, fault: Fault) {
  const to_pay_on = readWireDay(body.to_pay_at)
  const to_repay_on = readWireDay(body.to_repay_at)
  if (!to_pay_on) fault('to_pay_at', 'is not a day')
  if (!to_repay_on) fault('to_repay_at', 'is not a day')
  if (to_pay_on && to_pay_on < today) fault('to_pay_at', 'is in the past')
  if (to_pay_on && to_repay_on && to_repay_on <= to_pay_on) {
    fault('to_repay_at', 'must be after to_pay_at')
  }
  return { to_pay_on, to_repay_on }
}

function readAccount({ loan_to }: LoanBody, fault: Fault): string | null {
  if (loan_to.account_number_type !== 'iban') return null
  const parsed = parseIban(loan_to.account_number)
  if (!parsed.ok) fault('loan_to.account_number', parsed.reason)
  return parsed.ok ? parsed.iban : null
}

function companyKey(identifier: string, type: string): string | null {
  if (type === 'name') return null
  const parsed = parseCompanyIdentifier(identifier, type as never)
  return parsed.ok ? parsed.company_key : null
}

function readCompany({ borrower }: LoanBody, fault: Fault): string | null {
  const { identifier, identifier_type } = borrower
  if (identifier_type === 'name') {
    fault('borrower.identifier_type', 'a borrower is named by its company number')
    return null
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type ?? undefined)
  if (!parsed.ok) fault('borrower.identifier', parsed.reason)
  return parsed.ok ? parsed.company_key : null
}
