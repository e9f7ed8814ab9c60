/** Previews a loan request. Stores only registry data and does not use up the client reference. */
import type { LoanPreview } from '@headroom/contract'
import type { Bank } from '../../../integrations/ports/bank.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Day, daysBetween, wireDay } from '../../../platform/kit/dates.ts'
import { maxAmount, toWire } from '../../../platform/kit/money.ts'
import { repaymentDay } from '../dates.ts'
import { openInstallments, plannedInterest } from '../installments.ts'
import type { CheckedRequest } from './check-requests.ts'
import { decideLoanRequests, type LoanDecision } from './decide-requests.ts'
import { feesOf, readBorrowerFacts, readProducts } from './decision-inputs.ts'
import { previewLoanInvoices } from './loan-invoices.ts'
import type { LoanRequester, LoanRequestInput } from './pending-request.ts'
import type { LoanRequest } from './read-request.ts'
import { saveRegistryStatuses } from './registry-status.ts'

/** Decides a checked request as creating the loan would. */
export async function previewLoan(
  tx: Tx,
  { partner_id }: LoanRequester,
  { request, borrower_id, invoice_ids: named }: CheckedRequest,
  fetched: Pick<LoanRequestInput, 'check' | 'brought' | 'statuses'>,
  bank: Bank,
): Promise<LoanPreview> {
  saveRegistryStatuses(tx, fetched.statuses)
  const invoices = await previewLoanInvoices(tx, partner_id, named, fetched.brought)
  const candidate = { request, borrower_id, check: fetched.check, invoices }
  const known = {
    products: await readProducts(tx),
    borrowers: await readBorrowerFacts(tx, [{ partner_id, id: borrower_id }]),
  }
  const [decided] = await decideLoanRequests(tx, [candidate], known, bank)
  return viewPreview(request, decided!)
}

function viewPreview(request: LoanRequest, decided: LoanDecision): LoanPreview {
  const { decision, facts, product, payout_on } = decided
  const rate_ppm = product?.rate_ppm ?? 0
  const { mark_up_ppm, fees_payer } = feesOf(facts, product)
  const available = availableBefore(request, decided)
  const common = {
    amount: toWire(request.amount),
    currency: 'EUR' as const,
    to_pay_at: wireDay(request.to_pay_on),
    to_repay_at: wireDay(request.to_repay_on),
    fees_daily_rate: (rate_ppm + mark_up_ppm) / 10_000,
    balance_available: available,
  }
  if (decision.outcome === 'decline') {
    const nothing = { days: null, fees_estimated: null, total_estimated: null }
    const dates = { expected_payout_at: null, expected_repayment_at: null }
    return { ...common, decision: 'DECLINED', denial_reason: decision.code, ...dates, ...nothing }
  }
  const { to_repay_on, amount } = request
  const payDay = (due_on: Day) => repaymentDay(facts.method ?? 'SCT', due_on, payout_on)
  const repaid_on = payDay(to_repay_on)
  const days = daysBetween(payout_on, repaid_on)
  const whole = [{ due_on: to_repay_on, amount }]
  const parts = openInstallments(request.installments.length > 0 ? request.installments : whole, 0n)
  const steps = [{ from_on: payout_on, principal: amount }]
  const rates = { rate_ppm, mark_up_ppm }
  const fees = plannedInterest(steps, parts, rates, payout_on, part => payDay(part.due_on))
  const repaid = fees_payer === 'PARTNER' ? amount : amount + fees
  return {
    ...common,
    decision: decision.outcome === 'wait' ? 'WAITING' : 'APPROVED',
    denial_reason: null,
    expected_payout_at: wireDay(payout_on),
    expected_repayment_at: wireDay(repaid_on),
    days,
    fees_estimated: toWire(fees),
    total_estimated: toWire(repaid),
  }
}

/** Cents available on the line before this loan; null if there is no line. */
function availableBefore(request: LoanRequest, { facts, decision }: LoanDecision): number | null {
  if (facts.pool_amount === null) return null
  const own = decision.outcome === 'decline' ? 0n : request.amount
  const left = facts.pool_amount - facts.outstanding! - facts.reserved! + own
  return toWire(maxAmount(left, 0n))
}
