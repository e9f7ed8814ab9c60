/** Computes a plan for a case, or for given loans and bills, without writing anything. */
import type { ComputedInstallmentPlan, ComputePlan, Status } from '@headroom/contract'
import { sql } from 'kysely'
import { activeMethods } from '../../../companies/borrowers/index.ts'
import type { Validation } from '../../../context.ts'
import { frozenUntil } from '../../../money/payments/index.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addMonths, type Day, max, readWireDay, wireDay } from '../../../platform/kit/dates.ts'
import { fromWire, toWire } from '../../../platform/kit/money.ts'
import { findingsIn, type InvalidParam, invalid, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { findDebts, type Ids, isGiven } from '../cases/open-case.ts'
import { computeInstallments, type Debt, type Installment, planDays } from './compute.ts'
import { type DebtIds, readDebts } from './debts.ts'

export type Method = 'DIRECT_DEBIT' | 'SCT' | 'P2P'

/** A plan starts within this many months. */
const START_MONTHS_MAX = 120

/**
 * The most parts that a computed plan may have, one per installment and debt. This bounds the time
 * to compute it.
 */
const PARTS_MAX = 3_000

type DebtSelection = Pick<WellFormed<ComputePlan>, 'recollection_case_id' | 'loan_ids' | 'bill_ids'>
type Terms = Omit<ComputePlan, 'recollection_case_id' | 'loan_ids' | 'bill_ids'>

/** The debts of a case. Throws `resource_unknown`, or `state_conflict` if the case is closed. */
export async function debtsOfCase(tx: Tx, partner_id: string, case_id: string): Promise<DebtIds> {
  const found = await tx.maybe(sql<DebtIds & { status: Status<'recollection_case'> }>`
    select c.status,
      array(select loan_id::text from recollection_case_loans o
        where o.partner_id = c.partner_id and o.case_id = c.id) as loan_ids,
      array(select bill_id::text from recollection_case_bills o
        where o.partner_id = c.partner_id and o.case_id = c.id) as bill_ids
    from recollection_cases c where c.partner_id = ${partner_id} and c.id = ${case_id}`)
  if (!found) throw problem('resource_unknown', 'There is no such recollection case.')
  if (found.status !== 'OPEN') throw problem('state_conflict', 'The case is closed.')
  return found
}

/**
 * The debts of the request's case, or the loans and bills in the request. Throws `request_invalid`
 * if the request has both or neither, or if a loan or bill is not the partner's; for a case, throws
 * like `debtsOfCase`.
 */
export async function debtsOfRequest(
  tx: Tx,
  partner_id: string,
  request: DebtSelection,
): Promise<DebtIds> {
  const { recollection_case_id } = request
  const [loan_ids, bill_ids] = [request.loan_ids ?? [], request.bill_ids ?? []]
  const named = loan_ids.length + bill_ids.length > 0
  if (named === Boolean(recollection_case_id)) {
    const reason = 'name either a case, or loans and bills'
    throw invalid({ name: 'recollection_case_id', reason })
  }
  if (recollection_case_id) return debtsOfCase(tx, partner_id, recollection_case_id)
  const { loans, bills } = await findDebts(tx, partner_id, { loan_ids, bill_ids })
  const unknown = [
    ...unknownIds('loan_ids', loan_ids, loans),
    ...unknownIds('bill_ids', bill_ids, bills),
  ]
  if (unknown.length > 0) throw invalid(unknown)
  return { loan_ids: loan_ids.filter(isGiven), bill_ids: bill_ids.filter(isGiven) }
}

function unknownIds(field: string, ids: Ids, found: readonly { id: string }[]): InvalidParam[] {
  return ids.flatMap((id, index) =>
    !isGiven(id) || found.some(one => one.id === id)
      ? []
      : [{ name: `${field}.${index}`, reason: 'is none of yours' }],
  )
}

export interface CheckedTerms {
  readonly about: DebtIds
  readonly method: Method
  readonly start: Day
}

/** Checks the terms of a plan; `about` is null if the request's debts could not be read. */
export async function checkTerms(
  tx: Tx,
  partner_id: string,
  about: DebtIds | null,
  { repayment_method, start_date }: WellFormed<Terms>,
): Promise<Validation<CheckedTerms>> {
  const debtorFindings = about && (await findingsIn(() => debtorOf(tx, partner_id, about)))
  const debtor = debtorFindings?.meaning
  const method = repayment_method ?? debtor?.main_method
  const start = start_date ? readWireDay(start_date) : null
  const faults = [
    ...(debtorFindings?.faults ?? []),
    ...(debtor && method ? methodFaults(method, debtor) : []),
    ...startFaults(tx, start_date),
  ]
  const meaning = about && debtor && start ? { about, method: method as Method, start } : null
  return { faults, meaning }
}

/**
 * Computes a plan's installments. Throws `state_conflict` if nothing is owed, or `request_invalid`
 * for too many installments or debts.
 */
export async function computePlan(
  tx: Tx,
  partner_id: string,
  { about, method, start }: CheckedTerms,
  terms: Terms,
): Promise<ComputedInstallmentPlan> {
  const first = max(start, firstDay(tx, method))
  const days = planDays(start, terms.period, terms.number_of_installment, first)
  const named = await readDebts(tx, partner_id, about)
  const debts = named.filter(debt => debt.kind === 'LOAN' || debt.principal)
  const owing = debts.filter(debt => isOwed(debt, days.at(-1)!))
  if (owing.length === 0) throw problem('state_conflict', 'Nothing is owed any more.')
  const fault = partsFault(days.length, owing.length)
  if (fault) throw invalid(fault)
  const fees = fromWire(terms.recollection_fees)
  const installments = computeInstallments(owing, days, fees)
  if (!installments) {
    const reason = 'is more than there are cents to repay'
    throw invalid({ name: 'number_of_installment', reason })
  }
  return {
    installments: installments.map(one => viewInstallment(owing, one)),
    payment_method: method,
    repayment_method: method,
    recollection_fees: toWire(fees),
  }
}

/**
 * The fault of a plan with too many parts; null if it has few enough. Only a case can have more
 * debts than fit in one installment, because a request cannot list as many.
 */
function partsFault(installments: number, debts: number): InvalidParam | null {
  if (installments * debts <= PARTS_MAX) return null
  if (debts > PARTS_MAX) {
    const reason = `covers ${debts} loans and bills that are owed; a plan has room for ${PARTS_MAX}`
    return { name: 'recollection_case_id', reason }
  }
  const most = Math.floor(PARTS_MAX / debts)
  const reason = `is more than ${most}, the most for ${debts} loans and bills`
  return { name: 'number_of_installment', reason }
}

function startFaults({ today }: Tx, start_date: string | undefined): InvalidParam[] {
  const start = start_date ? readWireDay(start_date) : today
  const fault = (reason: string) => [{ name: 'start_date', reason }]
  if (!start) return fault('is not a day')
  const latest = addMonths(today, START_MONTHS_MAX)
  if (start > latest) return fault(`is after ${latest}, the latest possible start date`)
  return start < today ? fault('is in the past') : []
}

function isOwed(debt: Debt, until: Day): boolean {
  return computeInstallments([debt], [until], 0n) !== null
}

/** The first day on which an installment can be due. */
export function firstDay(tx: Tx, method: Method): Day {
  return method === 'DIRECT_DEBIT' ? frozenUntil(tx.today) : tx.today
}

export interface Debtor {
  readonly borrower_id: string
  readonly main_method: string
  /** The account of the main method, if that is a direct debit. */
  readonly main_iban: string | null
  readonly wallet_number: string | null
}

/** The debtor of loans and bills. Throws `request_invalid` unless all belong to one borrower. */
export async function debtorOf(tx: Tx, partner_id: string, about: DebtIds): Promise<Debtor> {
  const found = await borrowersOf(tx, partner_id, about)
  if (found.length > 1) throw invalid({ name: 'loan_ids', reason: 'are of several borrowers' })
  const [borrower_id] = found
  if (!borrower_id) throw invalid({ name: 'bill_ids', reason: 'are none of a borrower' })
  return readDebtor(tx, { partner_id, id: borrower_id })
}

async function borrowersOf(
  tx: Tx,
  partner_id: string,
  { loan_ids, bill_ids }: DebtIds,
): Promise<string[]> {
  const found = await tx.all(sql<{ borrower_id: string }>`
    select borrower_id from loans
      where partner_id = ${partner_id} and id = any(${loan_ids}::uuid[])
    union select borrower_id from bills
      where partner_id = ${partner_id} and id = any(${bill_ids}::uuid[])
        and borrower_id is not null
    order by borrower_id`)
  return found.map(one => one.borrower_id)
}

async function readDebtor(tx: Tx, borrower: RowKey): Promise<Debtor> {
  const methods = (await activeMethods(tx, [borrower])).get(borrower.id) ?? []
  const main = methods.find(method => method.is_main)
  const wallet = methods.find(method => method.payment_method === 'P2P')
  return {
    borrower_id: borrower.id,
    main_method: main?.payment_method ?? 'SCT',
    main_iban: main?.mandate_id ? main.account!.account_number : null,
    wallet_number: wallet?.account?.account_number ?? null,
  }
}

/** Why a repayment method cannot be used; empty if it can. */
export function methodFaults(
  method: string,
  { main_iban, wallet_number }: Debtor,
  name = 'repayment_method',
): InvalidParam[] {
  if (method === 'SCT') return []
  if (method === 'P2P') {
    const reason = 'is not possible: the borrower lets no wallet be debited'
    return wallet_number ? [] : [{ name, reason }]
  }
  if (main_iban) return []
  return [{ name, reason: "is not possible: the borrower's main account has no direct debit" }]
}

function viewInstallment(debts: readonly Debt[], { due_on, parts, fees }: Installment) {
  const of = (kind: Debt['kind']) =>
    debts.flatMap(({ kind: own, id }, d) =>
      own === kind && parts[d]! > 0n ? [{ id, amount: toWire(parts[d]!) }] : [],
    )
  return {
    amount: toWire(parts.reduce((total, part) => total + part, fees)),
    date: wireDay(due_on),
    loans: of('LOAN').map(({ id: loan_id, amount }) => ({ loan_id, amount })),
    bills: of('BILL').map(({ id: bill_id, amount }) => ({ bill_id, amount })),
    recollection_fees: toWire(fees),
  }
}
