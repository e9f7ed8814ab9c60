/**
 * Turns loan requests into loans: checks, decides and reserves in one transaction. Concurrent
 * requests are handled together, so that they share each statement.
 */
import { putAccountsOnFile } from '../../../companies/borrowers/index.ts'
import { lineChangeStatement, readLinesForEvents } from '../../../companies/credit-lines/index.ts'
import type { Bank } from '../../../integrations/ports/bank.ts'
import { initialStatus, recordCreation, type StatusHistory } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { invalid, ProblemError, problem } from '../../../platform/kit/problem.ts'
import { type LoanWithDetails, readLoans } from '../queries.ts'
import { insertOfLoans, nextAccountNumbers } from '../store.ts'
import { checkRequests } from './check-requests.ts'
import { decideLoanRequests, type LoanCandidate, type LoanDecision } from './decide-requests.ts'
import { type LockedFacts, lockedFacts } from './decision-inputs.ts'
import { lockInvoices, readInvoices } from './invoice-facts.ts'
import { createLoanInvoices } from './loan-invoices.ts'
import { newLoanRow } from './new-loan-row.ts'
import { type LoanRequestInput, PendingRequest, type RequestOutcome } from './pending-request.ts'
import { saveRegistryStatuses } from './registry-status.ts'
import { saveRequestDetails } from './save-request-details.ts'

/**
 * Turns requests into loans (approved, waiting or declined) and returns the outcomes in order. A
 * malformed request (`request_invalid`) or a client reference used with other content
 * (`duplicate_request`) yields its problem and stores nothing. A request that the rules refuse
 * becomes a DECLINED loan.
 */
export async function requestLoans(
  tx: Tx,
  inputs: readonly LoanRequestInput[],
  bank: Bank,
): Promise<(RequestOutcome | ProblemError)[]> {
  const checked = await checkRequests(tx, inputs)
  const pendingRequests = inputs.map(
    (one, index) => new PendingRequest(tx, one, checked[index]!.meaning),
  )
  for (const [index, pending] of pendingRequests.entries()) {
    const { faults, first } = checked[index]!
    const repeat = first ? repeatOf(pending, first) : null
    // A repeated request was valid when first accepted, even if its payout date has passed since.
    const is_valid = faults.length === 0 || (repeat && 'loan_id' in repeat)
    pending.outcome = is_valid ? repeat : invalid(faults)
  }
  const has_news = checked.some(one => one.has_news)
  matchDuplicates(pendingRequests)
  const open = pendingRequests.filter(pending => pending.outcome === null)
  const written = open.length > 0 ? await decideAndWrite(tx, open, bank, has_news) : []
  const known = new Set(written.map(loan => loan.id))
  const first = pendingRequests.flatMap(({ outcome, input: { requester } }): RowKey[] => {
    const id = outcome && 'loan_id' in outcome ? outcome.loan_id : null
    return id && !known.has(id) ? [{ partner_id: requester.partner_id, id }] : []
  })
  const repeated = await readLoans(tx, first)
  const loans = new Map([...written, ...repeated].map(loan => [loan.id, loan]))
  return pendingRequests.map(({ outcome }) => {
    if (outcome instanceof ProblemError) return outcome
    return { loan: loans.get(outcome!.loan_id)!, replayed: outcome!.replayed }
  })
}

/**
 * Resolves requests that repeat a client reference of a request handled together with them: to that
 * request's loan, or to `duplicate_request` if their content differs.
 */
function matchDuplicates(pendingRequests: readonly PendingRequest[]): void {
  const first = new Map<string, { id: string; request_hash: string }>()
  for (const pending of pendingRequests) {
    if (!pending.salt || pending.outcome) continue
    const known = first.get(pending.salt)
    if (known) pending.outcome = repeatOf(pending, known)
    else first.set(pending.salt, { id: pending.id, request_hash: pending.hash })
  }
}

function repeatOf(pending: PendingRequest, first: { id: string; request_hash: string }) {
  if (first.request_hash === pending.hash) return { loan_id: first.id, replayed: true }
  const { salt_id } = pending.input.body
  const detail = `salt_id ${salt_id} belongs to loan ${first.id} with other content`
  return problem('duplicate_request', detail, { resource_id: first.id })
}

async function decideAndWrite(
  tx: Tx,
  open: readonly PendingRequest[],
  bank: Bank,
  has_news: boolean,
): Promise<readonly LoanWithDetails[]> {
  const owners = open.map(pending => ({
    partner_id: pending.input.requester.partner_id,
    borrower_id: pending.borrower_id!,
  }))
  const statuses = open.flatMap(pending => pending.input.statuses)
  // Storing the statuses locks borrowers, which must be locked before anything else.
  if (has_news) saveRegistryStatuses(tx, statuses)
  const financing = open.filter(pending => pending.finances)
  const [products, facts, numbers] = await tx.inOrder([
    ...lockedFacts(tx, owners),
    nextAccountNumbers(financing.length),
  ])
  if (financing.length > 0) await claimInvoices(tx, financing)
  const invoices = await readInvoices(tx, open.flatMap(invoiceKeys))
  const candidates: LoanCandidate[] = open.map(pending => ({
    request: pending.request!,
    borrower_id: pending.borrower_id!,
    check: pending.input.check,
    invoices: pending.invoice_ids.map(id => invoices.get(id)!),
  }))
  const decisions = await decideLoanRequests(tx, candidates, { products, borrowers: facts }, bank)
  const newLoans = open.map((pending, index) => {
    const number = pending.finances ? numbers?.shift() : undefined
    const own = number === undefined ? null : bank.ownAccount(number)
    return newLoan(tx, pending, decisions[index]!, own)
  })
  const rows = newLoans.map(n => n.row)
  const alike = !newLoans.some(hasRelatedRows)
  recordRequests(tx, newLoans)
  const [loans] = await tx.inOrder([
    insertOfLoans(tx, rows, reserveAmounts(tx, newLoans)),
    alike ? readLinesForEvents(tx, newLoans.flatMap(lineOf)) : null,
  ])
  // Another transaction used a client reference first; a retry will find its loan.
  if (loans.length < rows.length)
    throw Object.assign(new Error('a salt was taken meanwhile'), { code: '40001' })
  for (const pending of open) pending.outcome = { loan_id: pending.id, replayed: false }
  if (alike) return loans
  await saveRequestDetails(tx, newLoans)
  return readLoans(tx, rows)
}

/** Creates the invoices in the requests, then locks all invoices to be financed. */
async function claimInvoices(tx: Tx, financing: readonly PendingRequest[]): Promise<void> {
  for (const { input, invoice_ids } of financing) {
    const { caller_id, partner_id } = input.requester
    const brought = await createLoanInvoices(tx.as(caller_id), partner_id, input.brought)
    invoice_ids.push(...brought.filter(id => !invoice_ids.includes(id)))
  }
  await lockInvoices(tx, financing.flatMap(invoiceKeys))
}

function invoiceKeys({ input, invoice_ids }: PendingRequest): RowKey[] {
  return invoice_ids.map(id => ({ partner_id: input.requester.partner_id, id }))
}

type NewLoan = ReturnType<typeof newLoan>

/** Whether rows of other tables must be stored with the loan. */
function hasRelatedRows({ pending }: NewLoan): boolean {
  return (
    pending.finances || pending.request!.installments.length + pending.request!.files.length > 0
  )
}

function lineOf({ declined, facts, row: { partner_id } }: NewLoan): RowKey[] {
  return declined || !facts.credit_line_id ? [] : [{ partner_id, id: facts.credit_line_id }]
}

function newLoan(
  tx: Tx,
  pending: PendingRequest,
  decisions: LoanDecision<LockedFacts>,
  own_account: string | null,
) {
  const { decision, facts } = decisions
  const declined = decision.outcome === 'decline'
  const initial = initialStatusOf(decisions, pending.input.body.auto_validate)
  const repayment_iban = own_account ?? tx.settings.lender.collection_iban
  const { requester } = pending.input
  const row = {
    ...newLoanRow(
      tx,
      pending.id,
      requester,
      pending.request!,
      pending.hash,
      facts,
      decisions.product,
      repayment_iban,
    ),
    status: initial.status,
    denial_reason: declined ? decision.code : null,
    reserved: declined ? 0n : pending.request!.amount,
  }
  const { shares } = decisions
  return { pending, row, initial, facts, declined, shares, reason: declined ? decision.code : null }
}

function initialStatusOf(
  { decision }: LoanDecision,
  auto_validate: boolean,
): StatusHistory<'loan'> {
  if (decision.outcome === 'decline') return initialStatus('loan', ['check', 'decline'])
  if (decision.outcome === 'wait') return initialStatus('loan', ['check'])
  return initialStatus('loan', ['check', auto_validate ? 'approve' : 'require_validation'])
}

/**
 * Enqueues jobs, records history and puts payout accounts on file. The statements are sent without
 * waiting.
 */
function recordRequests(tx: Tx, newLoans: readonly NewLoan[]): void {
  const granted = newLoans.filter(n => !n.declined)
  for (const { row, initial } of granted) {
    const { id: loan_id, partner_id } = row
    if (initial.status !== 'VALIDATED') continue
    enqueue(tx, 'prepare_loan', { partner_id, loan_id }, partner_id)
  }
  for (const [caller_id, group] of Map.groupBy(newLoans, n => n.row.caller_id)) {
    recordCreation(tx.as(caller_id), group.map(birthOf))
  }
  putOnFile(tx, granted)
}

function birthOf({ row, initial, reason }: NewLoan) {
  return { id: row.id, partner_id: row.partner_id, initial, reason }
}

function reserveAmounts(
  tx: Tx,
  newLoans: readonly NewLoan[],
): ReturnType<typeof lineChangeStatement> {
  const granted = newLoans.filter(n => !n.declined)
  return lineChangeStatement(
    tx,
    granted.map(({ facts, row }) => ({
      partner_id: row.partner_id,
      credit_line_id: facts.credit_line_id!,
      outstanding: 0n,
      reserved: row.reserved,
    })),
  )
}

function putOnFile(tx: Tx, granted: readonly NewLoan[]): void {
  putAccountsOnFile(
    tx,
    granted
      .filter(
        ({ facts, pending }) =>
          pending.request!.iban && !facts.own_accounts.includes(pending.request!.iban),
      )
      .map(({ facts, pending }) => ({
        holder: facts,
        account: { ...pending.request!.body.loan_to, account_number: pending.request!.iban! },
      })),
  )
}
