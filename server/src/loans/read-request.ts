/** Turns the body of a loan request into what the rules and the store work with; every fault. */
import type { CreateLoanBody } from '@headroom/contract'
import type { Tx } from '../db/transaction.ts'
import { canonicalJson, sha256 } from '../kit/crypto.ts'
import { type Day, readWireDay } from '../kit/dates.ts'
import { parseIban } from '../kit/iban.ts'
import { parseCompanyIdentifier } from '../kit/identifiers/index.ts'
import { type InvalidParam, invalid } from '../kit/problem.ts'
import { fromWire } from '../kit/money.ts'
import { findBorrower } from './situation.ts'

/** Body of creation or preview: they differ in the salt alone. */
export type LoanBody = Omit<CreateLoanBody, 'salt_id'> & { salt_id?: string | null }

export interface LoanRequest {
  readonly body: LoanBody
  readonly borrower_id: string
  readonly amount: bigint
  readonly to_pay_on: Day
  readonly to_repay_on: Day
  /** The IBAN to pay to, in its canonical form; null for other kinds of account. */
  readonly iban: string | null
  /** The company that the request names as holder of the account, when it does. */
  readonly holder_key: string | null
  /** Tells a repeat of the same request from another one with the same salt. */
  readonly hash: string
}

/** Reads a request; throws 422 with every fault that needs the clock or the database to see. */
export async function readRequest(
  tx: Tx,
  partner_id: string,
  body: LoanBody,
): Promise<LoanRequest> {
  const faults: InvalidParam[] = []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  const to_pay_on = readWireDay(body.to_pay_at)
  const to_repay_on = readWireDay(body.to_repay_at)
  if (!to_pay_on) fault('to_pay_at', 'is not a day')
  if (!to_repay_on) fault('to_repay_at', 'is not a day')
  if (to_pay_on && to_pay_on < tx.today) fault('to_pay_at', 'is in the past')
  if (to_pay_on && to_repay_on && to_repay_on <= to_pay_on) {
    fault('to_repay_at', 'must be after to_pay_at')
  }
  const { iban, reason } = readAccount(body)
  if (reason) fault('loan_to.account_number', reason)
  const borrower_id = await readBorrower(tx, partner_id, body, fault)
  const holder = body.loan_to.account_holder
  const holder_key = holder ? companyKey(holder.identifier, holder.identifier_type) : null
  if (holder && !holder_key) fault('loan_to.account_holder.identifier', 'is not a company number')
  if (faults.length > 0) throw invalid(...faults)
  return {
    body,
    borrower_id: borrower_id!,
    amount: fromWire(body.amount),
    to_pay_on: to_pay_on!,
    to_repay_on: to_repay_on!,
    iban,
    holder_key,
    hash: requestHash(body),
  }
}

/** Equal for requests with equal content, whatever the order of their keys. */
export function requestHash(body: object): string {
  return sha256(canonicalJson(body))
}

function readAccount({ loan_to }: LoanBody): { iban: string | null; reason?: string } {
  if (loan_to.account_number_type !== 'iban') return { iban: null }
  const parsed = parseIban(loan_to.account_number)
  return parsed.ok ? { iban: parsed.iban } : { iban: null, reason: parsed.reason }
}

function companyKey(identifier: string, type: string): string | null {
  if (type === 'name') return null
  const parsed = parseCompanyIdentifier(identifier, type as never)
  return parsed.ok ? parsed.company_key : null
}

async function readBorrower(
  tx: Tx,
  partner_id: string,
  { borrower }: LoanBody,
  fault: (name: string, reason: string) => void,
): Promise<string | null> {
  const { identifier, identifier_type } = borrower
  if (identifier_type === 'name') {
    fault('borrower.identifier_type', 'a borrower is named by its company number')
    return null
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type ?? undefined)
  if (!parsed.ok) {
    fault('borrower.identifier', parsed.reason)
    return null
  }
  const found = await findBorrower(tx, partner_id, parsed.company_key)
  if (!found) fault('borrower.identifier', 'is no borrower of yours: create it first')
  return found?.id ?? null
}
