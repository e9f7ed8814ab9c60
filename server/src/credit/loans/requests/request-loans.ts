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
  asked: readonly LoanRequestInput[],
  bank: Bank,
): Promise<(RequestOutcome | ProblemError)[]> {
  const checked = await checkRequests(tx, asked)
  const wanted = asked.map((a, index) => new PendingRequest(tx, a, checked[index]!.meaning))
  for (const [index, w] of wanted.entries()) {
    const { faults, first } = checked[index]!
    const repeat = first ? repeatOf(w, first) : null
    // A repeated request was valid when first accepted, even if its payout date has passed since.
    const is_valid = faults.length === 0 || (repeat && 'loan_id' in repeat)
    w.outcome = is_valid ? repeat : invalid(faults)
  }
  const has_news = checked.some(one => one.has_news)
  matchDuplicates(wanted)
  const open = wanted.filter(w => w.outcome === null)
  const written = open.length > 0 ? await decideAndWrite(tx, open, bank, has_news) : []
  const known = new Set(written.map(loan => loan.id))
  const first = wanted.flatMap(({ outcome, asked: { requester } }): RowKey[] => {
    const id = outcome && 'loan_id' in outcome ? outcome.loan_id : null
    return id && !known.has(id) ? [{ partner_id: requester.partner_id, id }] : []
  })
  const repeated = await readLoans(tx, first)
  const loans = new Map([...written, ...repeated].map(loan => [loan.id, loan]))
  return wanted.map(({ outcome }) => {
    if (outcome instanceof ProblemError) return outcome
    return { loan: loans.get(outcome!.loan_id)!, replayed: outcome!.replayed }
  })
}

/**
 * Among requests handled together, those that repeat a client reference share the first one's loan.
 */
function matchDuplicates(wanted: readonly PendingRequest[]): void {
  const first = new Map<string, { id: string; request_hash: string }>()
  for (const w of wanted) {
    if (!w.salt || w.outcome) continue
    const known = first.get(w.salt)
    if (known) w.outcome = repeatOf(w, known)
    else first.set(w.salt, { id: w.id, request_hash: w.hash })
  }
}

function repeatOf(w: PendingRequest, first: { id: string; request_hash: string }) {
  if (first.request_hash === w.hash) return { loan_id: first.id, replayed: true }
  const detail = `salt_id ${w.asked.body.salt_id} belongs to loan ${first.id} with other content`
  return problem('duplicate_request', detail, { resource_id: first.id })
}

async function decideAndWrite(
  tx: Tx,
  open: readonly PendingRequest[],
  bank: Bank,
  has_news: boolean,
): Promise<readonly LoanWithDetails[]> {
  const owners = open.map(w => ({
    partner_id: w.asked.requester.partner_id,
    borrower_id: w.borrower_id!,
  }))
  const statuses = open.flatMap(w => w.asked.statuses)
  // Storing the statuses locks borrowers, which must be locked before anything else.
  if (has_news) saveRegistryStatuses(tx, statuses)
  const financing = open.filter(w => w.finances)
  const [products, facts, numbers] = await tx.inOrder([
    ...lockedFacts(tx, owners),
    nextAccountNumbers(financing.length),
  ])
  if (financing.length > 0) await claimInvoices(tx, financing)
  const invoices = await readInvoices(tx, open.flatMap(invoiceKeys))
  const candidates: LoanCandidate[] = open.map(w => ({
    request: w.request!,
    borrower_id: w.borrower_id!,
    check: w.asked.check,
    invoices: w.invoice_ids.map(id => invoices.get(id)!),
  }))
  const judged = await decideLoanRequests(tx, candidates, { products, borrowers: facts }, bank)
  const newLoans = open.map((w, index) => {
    const number = w.finances ? numbers?.shift() : undefined
    const own = number === undefined ? null : bank.ownAccount(number)
    return newLoan(tx, w, judged[index]!, own)
  })
  const rows = newLoans.map(n => n.row)
  const alike = !newLoans.some(broughtMore)
  recordRequests(tx, newLoans)
  const [loans] = await tx.inOrder([
    insertOfLoans(tx, rows, promised(tx, newLoans)),
    alike ? readLinesForEvents(tx, newLoans.flatMap(lineOf)) : null,
  ])
  // Another transaction used a client reference first; a retry will find its loan.
  if (loans.length < rows.length)
    throw Object.assign(new Error('a salt was taken meanwhile'), { code: '40001' })
  for (const w of open) w.outcome = { loan_id: w.id, replayed: false }
  if (alike) return loans
  await saveRequestDetails(tx, newLoans)
  return readLoans(tx, rows)
}

/** Creates the invoices in the requests, then locks all invoices to be financed. */
async function claimInvoices(tx: Tx, financing: readonly PendingRequest[]): Promise<void> {
  for (const { asked, invoice_ids } of financing) {
    const { caller_id, partner_id } = asked.requester
    const brought = await createLoanInvoices(tx, caller_id, partner_id, asked.brought)
    invoice_ids.push(...brought.filter(id => !invoice_ids.includes(id)))
  }
  await lockInvoices(tx, financing.flatMap(invoiceKeys))
}

function invoiceKeys({ asked, invoice_ids }: PendingRequest): RowKey[] {
  return invoice_ids.map(id => ({ partner_id: asked.requester.partner_id, id }))
}

type NewLoan = ReturnType<typeof newLoan>

/** Whether rows of other tables must be stored with the loan. */
function broughtMore({ w }: NewLoan): boolean {
  return w.finances || w.request!.installments.length + w.request!.files.length > 0
}

function lineOf({ declined, facts, row: { partner_id } }: NewLoan): RowKey[] {
  return declined || !facts.credit_line_id ? [] : [{ partner_id, id: facts.credit_line_id }]
}

function newLoan(
  tx: Tx,
  w: PendingRequest,
  judged: LoanDecision<LockedFacts>,
  own_account: string | null,
) {
  const { decision, facts } = judged
  const declined = decision.outcome === 'decline'
  const born = wayOf(judged, w.asked.body.auto_validate)
  const repayment_iban = own_account ?? tx.settings.lender.collection_iban
  const { requester } = w.asked
  const row = {
    ...newLoanRow(tx, w.id, requester, w.request!, w.hash, facts, judged.product, repayment_iban),
    status: born.status,
    denial_reason: declined ? decision.code : null,
    reserved: declined ? 0n : w.request!.amount,
  }
  const { shares } = judged
  return { w, row, born, facts, declined, shares, reason: declined ? decision.code : null }
}

function wayOf({ decision }: LoanDecision, auto_validate: boolean): StatusHistory<'loan'> {
  if (decision.outcome === 'decline') return initialStatus('loan', ['check', 'decline'])
  if (decision.outcome === 'wait') return initialStatus('loan', ['check'])
  return initialStatus('loan', ['check', auto_validate ? 'approve' : 'require_validation'])
}

/**
 * Records the effects of new loans except reserved credit. The statements are sent without waiting.
 */
function recordRequests(tx: Tx, newLoans: readonly NewLoan[]): void {
  const granted = newLoans.filter(n => !n.declined)
  for (const { row, born } of granted) {
    const { id: loan_id, partner_id } = row
    if (born.status !== 'VALIDATED') continue
    enqueue(tx, 'prepare_loan', { partner_id, loan_id }, partner_id)
  }
  for (const [caller_id, group] of Map.groupBy(newLoans, n => n.row.caller_id)) {
    recordCreation(tx, caller_id, group.map(birthOf))
  }
  putOnFile(tx, granted)
}

function birthOf({ row, born, reason }: NewLoan) {
  return { id: row.id, partner_id: row.partner_id, birth: born, reason }
}

function promised(tx: Tx, newLoans: readonly NewLoan[]): ReturnType<typeof lineChangeStatement> {
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
      .filter(({ facts, w }) => w.request!.iban && !facts.own_accounts.includes(w.request!.iban))
      .map(({ facts, w }) => ({
        holder: facts,
        account: { ...w.request!.body.loan_to, account_number: w.request!.iban! },
      })),
  )
}
