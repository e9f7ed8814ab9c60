/** Requests a loan: checks, reserves and decides in one transaction. */
import type { CreateLoanBody } from '@headroom/contract'
import { putAccountOnFile } from '../borrowers/index.ts'
import { changeLines, lockExposure } from '../credit-lines/balances.ts'
import { type Actor, type Birth, birth, recordBirths } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import type { Day } from '../kit/dates.ts'
import { problem } from '../kit/problem.ts'
import type { Bank, PayeeCheck } from '../ports/bank.ts'
import { judgePayee } from './payee.ts'
import { newLoanRow } from './new-loan-row.ts'
import { type LoanRequest, readRequest, requestHash } from './read-request.ts'
import { type Decision, decide } from './rules.ts'
import {
  type BorrowerFacts,
  type ProductRow,
  readBorrowerFacts,
  readProduct,
  situationOf,
} from './situation.ts'
import { findBySalt, insertLoans } from './store.ts'

export interface Requester {
  readonly partner_id: string
  readonly caller_id: string
}

export interface Requested {
  readonly loan_id: string
  /** True when the same request had been made before. */
  readonly replayed: boolean
}

/**
 * Makes a loan of a request: approved, waiting or declined. Throws `request_invalid` for what
 * does not parse and `duplicate_request` for a salt used with other content. A refusal by the
 * rules is a loan in DECLINED (interface.md, 422 or DECLINED).
 */
export async function requestLoan(
  tx: Tx,
  requester: Requester,
  body: Omit<CreateLoanBody, 'salt_id'> & { salt_id?: string | null },
  check: PayeeCheck,
  bank: Bank,
): Promise<Requested> {
  const { partner_id } = requester
  const repeated = await findRepeated(tx, partner_id, body)
  if (repeated) return repeated
  const request = await readRequest(tx, partner_id, body)
  await lockExposure(tx, [partner_id], [request.borrower_id])
  const again = await findRepeated(tx, partner_id, body)
  if (again) return again
  const judged = await judge(tx, partner_id, request, check, bank)
  return { loan_id: await write(tx, requester, request, judged), replayed: false }
}

async function findRepeated(
  tx: Tx,
  partner_id: string,
  body: { salt_id?: string | null },
): Promise<Requested | null> {
  if (!body.salt_id) return null
  const first = await findBySalt(tx, partner_id, body.salt_id)
  if (!first) return null
  if (first.request_hash !== requestHash(body)) {
    const detail = `salt_id ${body.salt_id} belongs to loan ${first.id} with other content`
    throw problem('duplicate_request', detail, { resource_id: first.id })
  }
  return { loan_id: first.id, replayed: true }
}

interface Judged {
  facts: BorrowerFacts
  product: ProductRow | undefined
  decision: Decision
  payout_on: Day
}

/** Decides on a request as things are now. */
export async function judge(
  tx: Tx,
  partner_id: string,
  request: LoanRequest,
  check: PayeeCheck,
  bank: Bank,
): Promise<Judged> {
  const facts = await readBorrowerFacts(tx, partner_id, request.borrower_id)
  const product = await readProduct(tx, request.body.loan_type)
  const payout_on = bank.payoutDay(
    request.iban ?? '',
    request.to_pay_on,
    tx.now,
    product?.payout_cut_off ?? '15:00',
  )
  const wish = {
    loan_type: request.body.loan_type,
    amount: request.amount,
    to_pay_on: request.to_pay_on,
    to_repay_on: request.to_repay_on,
    installments: request.body.installment_plan_type === 'INSTALLMENTS',
    payee: await judgePayee(tx, request, facts, check),
  }
  const decision = decide(wish, situationOf(tx, facts, product, payout_on))
  return { facts, product, decision, payout_on }
}

/** The way a new loan takes through its machine. */
function wayOf(decision: Decision, auto_validate: boolean): Birth<'loan'> {
  if (decision.outcome === 'decline') return birth('loan', ['check', 'decline'])
  if (decision.outcome === 'wait') return birth('loan', ['check'])
  return birth('loan', ['check', auto_validate ? 'approve' : 'require_validation'])
}

async function write(
  tx: Tx,
  requester: Requester,
  request: LoanRequest,
  { facts, product, decision }: Judged,
): Promise<string> {
  const id = tx.newId()
  const { partner_id } = requester
  const born = wayOf(decision, request.body.auto_validate)
  const declined = decision.outcome === 'decline'
  const row = newLoanRow(tx, id, requester, request, facts, product)
  const inserted = await insertLoans(tx, [
    {
      ...row,
      status: born.status,
      denial_reason: declined ? decision.code : null,
      reserved: declined ? 0n : request.amount,
    },
  ])
  // Another borrower's request took the salt meanwhile: begin again and find it.
  if (!inserted.has(id)) throw Object.assign(new Error('salt taken'), { code: '40001' })
  const actor: Actor = requester.caller_id
  const reason = declined ? decision.code : null
  await recordBirths(tx, actor, [{ id, partner_id, birth: born, reason }])
  if (declined) return id
  await changeLines(tx, [
    { credit_line_id: facts.credit_line_id!, outstanding: 0n, reserved: request.amount },
  ])
  await putAccountOnFile(tx, facts, { ...request.body.loan_to, account_number: request.iban! })
  if (born.status === 'VALIDATED') enqueue(tx, 'prepare_loan', { loan_id: id })
  return id
}
