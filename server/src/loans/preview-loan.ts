/** What a loan would become if it were asked for now; nothing is written, no salt is used. */
import type { LoanPreview } from '@headroom/contract'
import type { Tx } from '../db/transaction.ts'
import { daysBetween, wireDay } from '../kit/dates.ts'
import { accrue, roundHalfEven, toWire } from '../kit/money.ts'
import { invalid } from '../kit/problem.ts'
import type { Bank, PayeeCheck } from '../ports/bank.ts'
import { collectionDay } from './dates.ts'
import { type Judged, judgeAll } from './judge.ts'
import { type LoanBody, type LoanRequest, readRequest } from './read-request.ts'
import { borrowerFault, borrowerName, findBorrowers } from './situation.ts'

/** Throws `request_invalid` as creation does. */
export async function previewLoan(
  tx: Tx,
  partner_id: string,
  body: LoanBody,
  check: PayeeCheck,
  bank: Bank,
): Promise<LoanPreview> {
  const read = readRequest(tx.today, body)
  if ('faults' in read) throw invalid(...read.faults)
  const { request } = read
  const company = { partner_id, company_key: request.company_key }
  const borrower = (await findBorrowers(tx, [company])).get(borrowerName(company))
  const fault = borrowerFault(borrower, body.borrower_financial_product_id)
  if (fault) throw invalid(fault)
  const candidate = { request, borrower_id: borrower!.id, check }
  const [judged] = await judgeAll(tx, [candidate], bank)
  return viewPreview(request, judged!)
}

function viewPreview(request: LoanRequest, judged: Judged): LoanPreview {
  const { decision, facts, product, payout_on } = judged
  const rate_ppm = product?.rate_ppm ?? 0
  const available = availableBefore(request, judged)
  const told = {
    amount: toWire(request.amount),
    currency: 'EUR' as const,
    to_pay_at: wireDay(request.to_pay_on),
    to_repay_at: wireDay(request.to_repay_on),
    fees_daily_rate: rate_ppm / 10_000,
    balance_available: available,
  }
  if (decision.outcome === 'decline') {
    const nothing = { days: null, fees_estimated: null, total_estimated: null }
    const dates = { expected_payout_at: null, expected_repayment_at: null }
    return { ...told, decision: 'DECLINED', denial_reason: decision.code, ...dates, ...nothing }
  }
  const debited = facts.method === 'DIRECT_DEBIT'
  const { to_repay_on } = request
  const repaid_on = debited ? collectionDay(to_repay_on, payout_on) : to_repay_on
  const days = daysBetween(payout_on, repaid_on)
  const fees = roundHalfEven(accrue(request.amount, rate_ppm, days))
  return {
    ...told,
    decision: decision.outcome === 'wait' ? 'WAITING' : 'APPROVED',
    denial_reason: null,
    expected_payout_at: wireDay(payout_on),
    expected_repayment_at: wireDay(repaid_on),
    days,
    fees_estimated: toWire(fees),
    total_estimated: toWire(request.amount + fees),
  }
}

/** What the line still gives, without this loan; null when there is no line. */
function availableBefore(request: LoanRequest, { facts, decision }: Judged): number | null {
  if (facts.pool_amount === null) return null
  const own = decision.outcome === 'decline' ? 0n : request.amount
  const left = facts.pool_amount - facts.outstanding! - facts.reserved! + own
  return toWire(left > 0n ? left : 0n)
}
