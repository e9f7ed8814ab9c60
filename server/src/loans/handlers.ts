/** The operations on loans. */
import type { Context, Handler, Prepared } from '../context.ts'
import { Reply } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { daysBetween, type Day, readWireDay, wireDay } from '../kit/dates.ts'
import { parseIban } from '../kit/iban.ts'
import { accrue, roundHalfEven, toWire } from '../kit/money.ts'
import { invalid, problem } from '../kit/problem.ts'
import type { PayeeCheck } from '../ports/bank.ts'
import { collectionAccount, lightAccount } from './accounts.ts'
import { cancelLoan } from './cancel-loan.ts'
import { collectionDay } from './dates.ts'
import { listEvents, listLoanEvents, listLoans } from './list-loans.ts'
import { lockLoanMoney } from './money.ts'
import { payoffOf } from './owed.ts'
import { readLoan, viewLoan } from './queries.ts'
import { type LoanBody, readRequest } from './read-request.ts'
import { judge, requestLoan } from './request-loan.ts'
import type { LoanRow } from './store.ts'
import { validateLoan } from './validate-loan.ts'

/** Asks the bank whose account it is, before any transaction is open. */
async function askPayee({ ports }: Context, { body }: { body: LoanBody }): Promise<PayeeCheck> {
  const parsed = parseIban(body.loan_to.account_number)
  if (body.loan_to.account_number_type !== 'iban' || !parsed.ok) return 'no_match'
  return ports.bank.verifyPayee({ iban: parsed.iban, name: body.borrower.identifier })
}

async function answerLoan(tx: Tx, partner_id: string, loan_id: string) {
  const loan = await readLoan(tx, partner_id, loan_id)
  if (!loan) throw problem('resource_unknown')
  return viewLoan(tx, loan)
}

const createLoan: Prepared<'createLoan', PayeeCheck> = {
  prepare: askPayee,
  handle: async (tx, { body, caller }, { ports }, check) => {
    const { loan_id, replayed } = await requestLoan(tx, caller, body, check, ports.bank)
    const loan = await answerLoan(tx, caller.partner_id, loan_id)
    if (replayed) return new Reply(loan, { headers: { 'idempotent-replayed': 'true' } })
    // Decided already; who does not wait for it is told where it began.
    const told = body.wait_for_validation || loan.status === 'DECLINED'
    return told ? loan : { ...loan, status: 'PENDING_VALIDATION' as const }
  },
}

const previewLoan: Prepared<'previewLoan', PayeeCheck> = {
  prepare: askPayee,
  handle: async (tx, { body, caller }, { ports }, check) => {
    const request = await readRequest(tx, caller.partner_id, body)
    const judged = await judge(tx, caller.partner_id, request, check, ports.bank)
    const { decision, facts, product, payout_on } = judged
    const declined = decision.outcome === 'decline'
    const repaid_on =
      facts.method === 'DIRECT_DEBIT'
        ? collectionDay(request.to_repay_on, payout_on)
        : request.to_repay_on
    const days = Math.max(0, daysBetween(payout_on, repaid_on))
    const rate_ppm = product?.rate_ppm ?? 0
    const fees = roundHalfEven(accrue(request.amount, rate_ppm, days))
    const available = facts.pool_amount && facts.pool_amount - facts.outstanding! - facts.reserved!
    return {
      decision: declined ? 'DECLINED' : decision.outcome === 'wait' ? 'WAITING' : 'APPROVED',
      denial_reason: declined ? decision.code : null,
      amount: body.amount,
      currency: 'EUR',
      to_pay_at: wireDay(request.to_pay_on),
      to_repay_at: wireDay(request.to_repay_on),
      expected_payout_at: declined ? null : wireDay(payout_on),
      expected_repayment_at: declined ? null : wireDay(repaid_on),
      days: declined ? null : days,
      fees_daily_rate: rate_ppm / 10_000,
      fees_estimated: declined ? null : toWire(fees),
      total_estimated: declined ? null : toWire(request.amount + fees),
      balance_available: available === null ? null : toWire(available > 0n ? available : 0n),
    }
  },
}

const getLoan: Handler<'getLoan'> = (tx, { params, caller }) =>
  answerLoan(tx, caller.partner_id, params.loan_id)

/** Locks the caller's own loan, runs a command on it and answers it as it then is. */
function command(
  run: (tx: Tx, actor: string, loan: LoanRow) => Promise<void>,
): Handler<'validateLoan' | 'cancelLoan'> {
  return async (tx, { params, caller }) => {
    await answerLoan(tx, caller.partner_id, params.loan_id)
    const [loan] = await lockLoanMoney(tx, [params.loan_id])
    await run(tx, caller.caller_id, loan!)
    return answerLoan(tx, caller.partner_id, params.loan_id)
  }
}

const getLoanPayoff: Handler<'getLoanPayoff'> = async (tx, { params, query, caller }) => {
  const loan = await readLoan(tx, caller.partner_id, params.loan_id)
  if (!loan) throw problem('resource_unknown')
  if (!loan.paid_out_on) throw problem('state_conflict', `loan is ${loan.status}: nothing is owed`)
  const on = payoffDay(loan.paid_out_on, query.on, tx.today)
  const { principal, interest } = await payoffOf(tx, loan, on)
  return {
    loan_id: loan.id,
    on: wireDay(on),
    currency: 'EUR',
    principal: toWire(principal),
    interest: toWire(interest),
    total: toWire(principal + interest),
    repayment_to: lightAccount({
      ...collectionAccount(tx.settings.lender),
      account_number: loan.repayment_iban,
    }),
    repayment_to_references: [loan.repayment_reference],
  }
}

const PAYOFF_DAYS_MAX = 3650

function payoffDay(paid_out_on: Day, asked: string | undefined, today: Day): Day {
  if (asked === undefined) return today
  const on = readWireDay(asked)
  if (!on || on < paid_out_on) throw invalid({ name: 'on', reason: 'is before the payout' })
  if (daysBetween(today, on) > PAYOFF_DAYS_MAX) {
    throw invalid({ name: 'on', reason: 'is too far ahead' })
  }
  return on
}

export const loanHandlers = {
  createLoan,
  previewLoan,
  listLoans,
  getLoan,
  validateLoan: command(validateLoan),
  cancelLoan: command(cancelLoan),
  getLoanPayoff,
  listLoanEvents: async (tx: Tx, call: Parameters<typeof listLoanEvents>[1]) => {
    await answerLoan(tx, call.caller.partner_id, call.params.loan_id)
    return listLoanEvents(tx, call)
  },
  listEvents,
}
