/** Creates a plan as DRAFT; a job then replaces the earlier collections with it. */
import type { Status } from '@headroom/contract'
import { sql } from 'kysely'
import type { Validation } from '../../../context.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import { keysOf } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { findingsIn, type InvalidParam } from '../../../platform/kit/problem.ts'
import { rfReference } from '../../../platform/kit/reference.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { findDebts } from '../cases/open-case.ts'
import { type Debtor, debtorOf, firstDay, type Method, methodFaults } from './compute-plan.ts'
import { type DebtIds, readDebts } from './debts.ts'
import { amountFaults, dayFaults, type PlanRequest, type ReadPlan } from './read-plan.ts'
import { insertPlan, type NewPlan } from './store.ts'

/** Grace days before an unpaid installment breaks a plan, if no product sets them. */
const GRACE_DAYS_DEFAULT = 4

export interface CheckedPlan {
  readonly request: PlanRequest
  readonly about: DebtIds
  readonly borrower_id: string
  readonly from_account: PaymentAccount | null
}

/** The debts a plan may cover (null for all of the partner's), and the account to debit. */
interface Limits {
  readonly allowed: DebtIds | null
  readonly from_account: PaymentAccount | null
}

/**
 * Finds all errors of a plan. Amounts are compared with the debts only if all installments could be
 * read and refer to valid debts. The loans are then locked first, so that no payment changes what
 * is owed.
 */
export async function checkPlan(
  tx: Tx,
  partner_id: string,
  { request, method, is_complete, ...read }: ReadPlan,
  { allowed, from_account }: Limits,
): Promise<Validation<CheckedPlan>> {
  const about = debtIdsOf(request)
  const unknown = is_complete ? await namedFaults(tx, partner_id, about, allowed) : []
  const is_known = is_complete && unknown.length === 0
  if (is_known) await lockLoanMoney(tx, keysOf(partner_id, about.loan_ids))
  const is_about_some = about.loan_ids.length + about.bill_ids.length > 0
  const debtorFindings = is_about_some
    ? await findingsIn(() => debtorOf(tx, partner_id, about))
    : null
  const debtor = debtorFindings?.meaning
  const faults = [
    ...read.faults,
    ...unknown,
    ...(debtorFindings?.faults ?? []),
    ...dayFaults(request.installments, method ? firstDay(tx, method as Method) : tx.today),
  ]
  if (debtor && method) {
    faults.push(...methodFaults(method, debtor))
    faults.push(...accountFaults(from_account, method as Method, debtor))
  }
  if (is_known) {
    const debts = await readDebts(tx, partner_id, about)
    faults.push(...amountFaults(request.installments, debts))
  }
  const { borrower_id } = debtor ?? {}
  return { faults, meaning: borrower_id ? { request, about, borrower_id, from_account } : null }
}

/** Writes a checked plan and enqueues the job that starts it; returns its id. */
export async function createPlan(
  tx: Tx,
  partner_id: string,
  plan: CheckedPlan & { readonly hash: string },
  { case_id, salt_id }: { case_id: string | null; salt_id: string | null },
): Promise<string> {
  const id = await writePlan(tx, partner_id, plan, { case_id, salt_id })
  enqueue(tx, 'start_installment_plan', { partner_id, plan_id: id })
  return id
}

function debtIdsOf({ installments }: PlanRequest): DebtIds {
  const ids = (kind: string) => [
    ...new Set(installments.flatMap(one => one.parts.filter(p => p.kind === kind).map(p => p.id!))),
  ]
  return { loan_ids: ids('LOAN'), bill_ids: ids('BILL') }
}

/** Faults of requested debts that are not the partner's, not in the case, or not owed. */
async function namedFaults(
  tx: Tx,
  partner_id: string,
  about: DebtIds,
  allowed: DebtIds | null,
): Promise<InvalidParam[]> {
  const { loans, bills } = await findDebts(tx, partner_id, about)
  const open = ['TO_REPAY', 'TO_REPAY_FEES', 'TO_PAY']
  const faultOf = (
    what: string,
    id: string,
    status: Status<'loan' | 'bill'> | undefined,
    ids?: readonly string[],
  ) =>
    !status || (ids && !ids.includes(id))
      ? [`${what} ${id} is none of ${ids ? 'the case' : 'yours'}`]
      : open.includes(status)
        ? []
        : [`${what} ${id} is ${status}: nothing to plan`]
  const reasons = [
    ...about.loan_ids.flatMap(id =>
      faultOf('loan', id, loans.find(l => l.id === id)?.status, allowed?.loan_ids),
    ),
    ...about.bill_ids.flatMap(id =>
      faultOf('bill', id, bills.find(b => b.id === id)?.status, allowed?.bill_ids),
    ),
  ]
  if (about.loan_ids.length + about.bill_ids.length === 0) reasons.push('repay nothing but fees')
  return reasons.map(reason => ({ name: 'installments', reason }))
}

/** The account to debit must be that of the main mandate, or the wallet. */
function accountFaults(
  account: PaymentAccount | null,
  method: Method,
  { main_iban, wallet_number }: Debtor,
): InvalidParam[] {
  if (!account || method === 'SCT') return []
  const [debited, called] =
    method === 'P2P'
      ? [wallet_number, 'wallet that is debited']
      : [main_iban, 'main repayment account']
  if (account.account_number === debited) return []
  return [{ name: 'from_account', reason: `is not the ${called}` }]
}

async function writePlan(
  tx: Tx,
  partner_id: string,
  { request, about, borrower_id, from_account, hash }: CheckedPlan & { readonly hash: string },
  { case_id, salt_id }: { case_id: string | null; salt_id: string | null },
): Promise<string> {
  const [plan, installment] = [
    initialStatus('installment_plan', []),
    initialStatus('installment', []),
  ]
  const id = tx.newId()
  const rows = request.installments.map(one => ({ one, id: tx.newId() }))
  const written: NewPlan = {
    plan: {
      id,
      partner_id,
      borrower_id,
      case_id,
      caller_id: tx.actor,
      salt_id,
      request_hash: hash,
      status: plan.status,
      repayment_method: request.method,
      is_contractual: request.is_contractual,
      grace_days: await graceDays(tx, partner_id, about),
      from_account: from_account as never,
      reference: rfReference(id),
      created_at: tx.now,
    },
    installments: rows.map(({ one, id: own }, position) => ({
      id: own,
      partner_id,
      plan_id: id,
      position: position + 1,
      due_on: one.due_on,
      status: installment.status,
      partner_reference: one.partner_reference,
      reference: rfReference(own),
      updated_at: tx.now,
    })),
    parts: rows.flatMap(({ one, id: installment_id }) =>
      one.parts.map(({ kind, id: of, amount }) => ({
        id: tx.newId(),
        partner_id,
        installment_id,
        kind,
        amount,
        due: amount,
        loan_id: kind === 'LOAN' ? of : null,
        bill_id: kind === 'BILL' ? of : null,
      })),
    ),
  }
  await insertPlan(tx, written)
  recordCreation(tx, [{ id, partner_id, initial: plan }])
  recordCreation(
    tx,
    rows.map(row => ({ id: row.id, partner_id, initial: installment })),
  )
  return id
}

/** The shortest grace period of the products of the plan's loans, in days. */
async function graceDays(tx: Tx, partner_id: string, { loan_ids }: DebtIds): Promise<number> {
  const { days } = await tx.one(sql<{ days: number | null }>`
    select min(p.late_grace_days) as days from loans l join products p on p.id = l.product_id
    where l.partner_id = ${partner_id} and l.id = any(${loan_ids}::uuid[])`)
  return days ?? GRACE_DAYS_DEFAULT
}
