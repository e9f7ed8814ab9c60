/** Opens a case with a debtor, its debts and the next action. */
import type { NewRecollectionAction, NewRecollectionCase, Status } from '@headroom/contract'
import { sql } from 'kysely'
import type { Validation } from '../../../context.ts'
import { parseCompanyIdentifier } from '../../../countries/index.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import { keysOf } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Day, readWireDay } from '../../../platform/kit/dates.ts'
import { type InvalidParam, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { versionsOf } from '../../bills/index.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { insertAction, insertCase } from './store.ts'

export interface DebtReference {
  readonly id: string
  readonly borrower_id: string | null
  readonly status: Status<'loan' | 'bill'>
}

const LOAN_STATUSES = ['TO_REPAY', 'TO_REPAY_FEES']
const BILL_STATUSES = ['TO_PAY']

export interface CheckedCase {
  readonly borrower_id: string
  readonly due_on: Day
}

/** Checks a request for a case and reads its debtor and the due date of its action. */
export async function checkCase(
  tx: Tx,
  partner_id: string,
  input: WellFormed<NewRecollectionCase>,
): Promise<Validation<CheckedCase>> {
  const { loan_ids = [], bill_ids = [], next_action } = input
  const { borrower_id, faults } = await findDebtor(tx, partner_id, input)
  const { loans, bills } = await findDebts(tx, partner_id, { loan_ids, bill_ids })
  const due_on = next_action?.due_at ? readWireDay(next_action.due_at) : null
  if (next_action?.due_at && !due_on) faults.push(fault('next_action.due_at', 'is not a day'))
  faults.push(...owedFaults('loan_ids', loan_ids, loans, borrower_id, LOAN_STATUSES))
  faults.push(...owedFaults('bill_ids', bill_ids, bills, borrower_id, BILL_STATUSES))
  if (loan_ids.length + bill_ids.length === 0) {
    faults.push(fault('loan_ids', 'a case is about one loan or bill at least'))
  }
  return { faults, meaning: borrower_id && due_on ? { borrower_id, due_on } : null }
}

/** Opens a checked case; returns its id. Throws `case_exists`. */
export function openCase(
  tx: Tx,
  partner_id: string,
  input: NewRecollectionCase,
  { borrower_id, due_on, hash }: CheckedCase & { readonly hash: string },
): Promise<string> {
  return writeCase(tx, partner_id, {
    borrower_id,
    agent: input.agent,
    notes: input.recollection_notes ?? null,
    salt_id: input.salt_id ?? null,
    request_hash: hash,
    about: { loan_ids: input.loan_ids, bill_ids: input.bill_ids },
    action: { input: input.next_action, due_on },
  })
}

export interface NewCase {
  readonly borrower_id: string
  readonly agent: string
  readonly notes: Record<string, unknown> | null
  readonly salt_id: string | null
  readonly request_hash: string | null
  readonly about: { loan_ids: readonly string[]; bill_ids: readonly string[] }
  readonly action: { input: Omit<NewRecollectionAction, 'due_at'>; due_on: Day }
}

/** Stores a case from checked input; returns its id. Throws `case_exists`. */
export async function writeCase(tx: Tx, partner_id: string, input: NewCase): Promise<string> {
  const { about, action, notes, ...row } = input
  // Under these locks, no concurrent request can open a case about the same debts.
  await lockLoanMoney(tx, keysOf(partner_id, about.loan_ids))
  const bill_ids = await versionsOf(tx, partner_id, about.bill_ids)
  await tx.run(sql`
    select id from bills
    where partner_id = ${partner_id} and id = any(${bill_ids}::uuid[])
    order by id for no key update`)
  await refuseSecondCase(tx, partner_id, about.loan_ids, bill_ids)
  const initial = initialStatus('recollection_case', [])
  const id = tx.newId()
  const created_at = tx.now
  const { status } = initial
  await insertCase(tx, { ...row, id, partner_id, status, notes: notes as never, created_at }, about)
  recordCreation(tx, [{ id, partner_id, initial }])
  await planAction(tx, partner_id, id, action.input, action.due_on)
  return id
}

export async function planAction(
  tx: Tx,
  partner_id: string,
  case_id: string,
  input: Omit<NewRecollectionAction, 'due_at'>,
  due_on: Day,
): Promise<string> {
  const initial = initialStatus('recollection_action', [])
  const id = tx.newId()
  await insertAction(tx, {
    id,
    partner_id,
    case_id,
    due_on,
    original_due_on: due_on,
    name: input.action_name,
    description: input.short_description ?? null,
    status: initial.status,
    status_at: tx.now,
  })
  recordCreation(tx, [{ id, partner_id, initial }])
  return id
}

async function refuseSecondCase(
  tx: Tx,
  partner_id: string,
  loan_ids: readonly string[],
  bill_ids: readonly string[],
): Promise<void> {
  const other = await tx.maybe(sql<{ case_id: string }>`
    select case_id from recollection_case_loans
    where partner_id = ${partner_id} and loan_id = any(${loan_ids}::uuid[]) and is_open
    union all select case_id from recollection_case_bills
    where partner_id = ${partner_id} and bill_id = any(${bill_ids}::uuid[]) and is_open limit 1`)
  if (other) throw problem('case_exists', undefined, { resource_id: other.case_id })
}

async function findDebtor(
  tx: Tx,
  partner_id: string,
  { debtor_business }: WellFormed<NewRecollectionCase>,
): Promise<{ borrower_id: string | null; faults: InvalidParam[] }> {
  const { identifier, identifier_type } = debtor_business ?? {}
  const refused = (...faults: InvalidParam[]) => ({ borrower_id: null, faults })
  if (!identifier || !identifier_type) return refused()
  if (identifier_type === 'name') {
    return refused(fault('debtor_business.identifier_type', 'a borrower is named by its number'))
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type)
  if (!parsed.ok) return refused(fault('debtor_business.identifier', parsed.reason))
  const found = await tx.maybe(sql<{ id: string }>`
    select id from borrowers
    where partner_id = ${partner_id} and company_key = ${parsed.company_key}`)
  if (!found) return refused(fault('debtor_business', 'is no borrower of yours'))
  return { borrower_id: found.id, faults: [] }
}

/** Ids from a request; undefined where one is malformed. */
export type Ids = readonly (string | undefined)[]
export const isGiven = (id: string | undefined) => id !== undefined

/**
 * The requested loans and bills of a partner. A replaced bill has the status of its replacement.
 */
export async function findDebts(
  tx: Tx,
  partner_id: string,
  named: { loan_ids: Ids; bill_ids: Ids },
): Promise<{ loans: DebtReference[]; bills: DebtReference[] }> {
  const [loan_ids, bill_ids] = [named.loan_ids.filter(isGiven), named.bill_ids.filter(isGiven)]
  const loans = await tx.all(sql<DebtReference>`
    select id, borrower_id, status from loans
    where id = any(${loan_ids}::uuid[]) and partner_id = ${partner_id}
    order by id`)
  const bills = await tx.all(sql<DebtReference>`
    select b.id, b.borrower_id, coalesce(v.status, b.status) as status from bills b
    left join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
      and v.period_from = b.period_from
      and v.status <> 'INVALID'
    where b.id = any(${bill_ids}::uuid[]) and b.partner_id = ${partner_id}
    order by b.id`)
  return { loans, bills }
}

function owedFaults(
  field: 'loan_ids' | 'bill_ids',
  ids: Ids,
  found: readonly DebtReference[],
  borrower_id: string | null,
  statuses: readonly string[],
): InvalidParam[] {
  const what = field === 'loan_ids' ? 'loan' : 'bill'
  return ids.flatMap((id, index) => {
    if (!isGiven(id)) return []
    const name = `${field}.${index}`
    const one = found.find(f => f.id === id)
    if (ids.indexOf(id) < index) return [fault(name, 'is named before')]
    if (!one) return [fault(name, `is no ${what} of yours`)]
    if (borrower_id && one.borrower_id !== borrower_id) {
      return [fault(name, `is no ${what} of this debtor`)]
    }
    if (statuses.includes(one.status)) return []
    return [fault(name, `is ${one.status}: there is nothing to recollect`)]
  })
}

function fault(name: string, reason: string): InvalidParam {
  return { name, reason }
}
