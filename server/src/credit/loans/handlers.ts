/** Handlers of the operations on loans. */

import type { Loan } from '@headroom/contract'
import {
  batched,
  type Call,
  type Context,
  type Handler,
  type PreparedHandler,
  Reply,
} from '../../context.ts'
import type { PayeeCheck } from '../../integrations/ports/bank.ts'
import type { Caller } from '../../platform/access/index.ts'
import { repaymentAccount } from '../../platform/db/collection-accounts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { setEventView } from '../../platform/events/index.ts'
import { type Day, daysBetween, readWireDay, wireDay } from '../../platform/kit/dates.ts'
import { parseIban } from '../../platform/kit/iban.ts'
import { maxAmount, minAmount, toWire } from '../../platform/kit/money.ts'
import { lightAccount } from '../../platform/kit/payment-account.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import type { DescribedInvoice } from '../invoices/index.ts'
import { payoffOf } from './amounts-due/payoff.ts'
import { lockLoanMoney } from './booking/money.ts'
import { changeLoan } from './changes/change-loan-handler.ts'
import { cancelLoan } from './closing/cancel-loan.ts'
import { deactivateBorrower } from './closing/deactivate-borrower.ts'
import { fetchLoanDocuments } from './contracts/fetch-loan-documents.ts'
import { listEvents, listLoanEvents, listLoans } from './list-loans.ts'
import { readLoan, viewLoan } from './queries.ts'
import { type CheckedRequest, checkRequest } from './requests/check-requests.ts'
import { fetchInvoiceParties, readLoanInvoices } from './requests/loan-invoices.ts'
import type { LoanRequestInput } from './requests/pending-request.ts'
import { previewLoan } from './requests/preview-loan.ts'
import { type LoanBody, requestHash } from './requests/read-request.ts'
import {
  fetchRegistryStatuses,
  type RegistryStatus,
  refreshRegistryStatuses,
  saveRegistryStatuses,
} from './requests/registry-status.ts'
import { requestLoans } from './requests/request-loans.ts'
import { submitInvoice } from './requests/submit-invoice.ts'
import { validateLoan } from './requests/validate-loan.ts'
import type { LockedLoan } from './store.ts'

/** What the bank and the registry report before a transaction is opened. */
type FetchedData = Pick<LoanRequestInput, 'check' | 'brought' | 'statuses'>
type RequestData = FetchedData & Pick<LoanRequestInput, 'hash'>
type InvoicesInRequest = readonly DescribedInvoice[]
type LoanCallInput = Pick<Call<'createLoan' | 'previewLoan'>, 'body' | 'caller'>
type LoanRequestCall = { readonly body: WellFormed<LoanBody>; readonly caller: Caller }

/** The steps that creating and previewing a loan share. */
const requestParts = {
  read: (_context: Context, { body, caller }: LoanRequestCall) =>
    readLoanInvoices(caller.partner_id, body),

  check: (tx: Tx, { body, caller }: LoanRequestCall) =>
    checkRequest(tx, { body, requester: caller }),

  prepare: async (
    context: Context,
    {
      body,
      caller: { partner_id },
      meaning,
    }: LoanCallInput & { readonly meaning: InvoicesInRequest },
  ): Promise<FetchedData> => {
    const [check, brought, statuses] = await Promise.all([
      checkPayee(context, body),
      fetchInvoiceParties(context, partner_id, body, meaning),
      fetchRegistryStatuses(context, partner_id, body),
    ])
    return { check, brought, statuses }
  },
}

/** Asks the bank whether an IBAN belongs to the borrower. Any other account is a `no_match`. */
async function checkPayee({ ports }: Context, body: LoanBody): Promise<PayeeCheck> {
  const parsed = parseIban(body.loan_to.account_number)
  if (body.loan_to.account_number_type !== 'iban' || !parsed.ok) return 'no_match'
  return ports.bank.verifyPayee({ iban: parsed.iban, identifier: body.borrower.identifier })
}

async function answerLoan(tx: Tx, partner_id: string, loan_id: string) {
  const loan = await readLoan(tx, partner_id, loan_id)
  if (!loan) throw problem('resource_unknown')
  return viewLoan(tx, loan)
}

const createLoan = batched<'createLoan', RequestData, InvoicesInRequest>({
  ...requestParts,
  prepare: async (context, call) => ({
    ...(await requestParts.prepare(context, call)),
    hash: await requestHash(call.body),
  }),
  handleBatch: async (tx, calls, { ports }) => {
    const requests = calls.map(({ call, fetched }) => ({
      requester: call.caller,
      body: call.body,
      ...fetched,
    }))
    const outcomes = await requestLoans(tx, requests, ports.bank)
    return outcomes.map((outcome, index) => {
      if (!('loan' in outcome)) return outcome
      const { partner_id } = outcome.loan
      const loan = viewLoan(tx, outcome.loan)
      if (outcome.replayed) return new Reply(loan, { headers: { 'idempotent-replayed': 'true' } })
      setEventView(tx, loan.id, { partner_id, data: loan })
      // The loan is already decided, but a caller that does not wait for the decision sees the
      // initial status, unless the loan is declined.
      const shows_decision =
        calls[index]!.call.body.wait_for_validation || loan.status === 'DECLINED'
      return shows_decision ? loan : { ...loan, status: 'PENDING_VALIDATION' as const }
    })
  },
})

const previewLoanHandler: PreparedHandler<
  'previewLoan',
  FetchedData,
  CheckedRequest,
  InvoicesInRequest
> = {
  ...requestParts,
  handle: (tx, { caller, meaning }, { ports }, fetched) =>
    previewLoan(tx, caller, meaning, fetched, ports.bank),
}

const getLoan: Handler<'getLoan'> = (tx, { params, caller }) =>
  answerLoan(tx, caller.partner_id, params.loan_id)

/** Locks one of the partner's loans, runs a command on it and returns the updated view. */
function command(
  run: (tx: Tx, loan: LockedLoan) => Promise<void>,
): (tx: Tx, call: Call<'validateLoan' | 'cancelLoan'>) => Promise<Loan> {
  return async (tx, { params, caller }) => {
    await answerLoan(tx, caller.partner_id, params.loan_id)
    const key = { partner_id: caller.partner_id, id: params.loan_id }
    const [loan] = await lockLoanMoney(tx, [key])
    await run(tx, loan!)
    return answerLoan(tx, caller.partner_id, params.loan_id)
  }
}

const validate: PreparedHandler<'validateLoan', readonly RegistryStatus[]> = {
  prepare: (context, { params, caller }) =>
    refreshRegistryStatuses(context, caller.partner_id, params),
  handle: (tx, call, _context, statuses) => {
    saveRegistryStatuses(tx, statuses)
    return command(validateLoan)(tx, call)
  },
}

const getLoanPayoff: Handler<'getLoanPayoff'> = async (tx, { params, query, caller }) => {
  const loan = await readLoan(tx, caller.partner_id, params.loan_id)
  if (!loan) throw problem('resource_unknown')
  if (!loan.paid_out_on) throw problem('state_conflict', `loan is ${loan.status}: nothing is owed`)
  const on = payoffDay(loan.paid_out_on, query.on, tx.today)
  const { principal, interest } = await payoffOf(tx, loan, on)
  const unpaid = loan.interest_billed - loan.interest_paid
  const billed = maxAmount(0n, minAmount(unpaid, interest))
  return {
    loan_id: loan.id,
    on: wireDay(on),
    currency: 'EUR',
    principal: toWire(principal),
    interest: toWire(interest),
    billed_interest: toWire(billed),
    unbilled_interest: toWire(interest - billed),
    total: toWire(principal + interest),
    repayment_to: lightAccount(repaymentAccount(tx.settings, loan.repayment_iban)),
    repayment_to_references: [loan.repayment_reference],
  }
}

const PAYOFF_DAYS_MAX = 3650

function payoffDay(paid_out_on: Day, date: string | undefined, today: Day): Day {
  if (date === undefined) return today
  const on = readWireDay(date)
  if (!on || on < paid_out_on) throw invalid({ name: 'on', reason: 'is before the payout' })
  if (daysBetween(today, on) > PAYOFF_DAYS_MAX) {
    throw invalid({ name: 'on', reason: 'is too far ahead' })
  }
  return on
}

export const loanHandlers = {
  deactivateBorrower,
  createLoan,
  previewLoan: previewLoanHandler,
  listLoans,
  getLoan,
  validateLoan: validate,
  cancelLoan: command(cancelLoan),
  changeLoan,
  getLoanPayoff,
  fetchLoanDocuments,
  listLoanEvents: async (tx: Tx, call: Parameters<typeof listLoanEvents>[1]) => {
    await answerLoan(tx, call.caller.partner_id, call.params.loan_id)
    return listLoanEvents(tx, call)
  },
  listEvents,
  submitInvoice,
}
