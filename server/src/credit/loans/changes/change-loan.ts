/** Changes a loan. If its status forbids one of the changes, none is made. */
import { type ChangeLoanBody, UNDECIDED_LOANS } from '@headroom/contract'
import type { Validation } from '../../../context.ts'
import type { PayeeCheck } from '../../../integrations/ports/bank.ts'
import { lockScheduled, setToReferences } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readWireDay } from '../../../platform/kit/dates.ts'
import { type InvalidParam, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import type { RepaymentMethod } from '../dates.ts'
import { type Payee, type Fault as ReadFault, readPayee } from '../requests/read-request.ts'
import { type LockedLoan, setAgreed } from '../store.ts'
import {
  agreeRepayment,
  amendLoan,
  checkRepaymentTerms,
  installmentsFault,
  limitsOf,
} from './agree-repayment.ts'
import { changeUndecided, dayFaults } from './change-undecided.ts'
import { describeChanges, lockedFields, repaymentDayFault, requestedDueDate } from './changeable.ts'
import {
  type LoanChange,
  metadataChange,
  referenceChanges,
  referencesOf,
  throwFault,
} from './parse-change.ts'

export interface CheckedChange {
  readonly loan: LockedLoan
  readonly change: LoanChange
  readonly payee: Payee | null
}

const ONE_LENDER = { name: 'lender_id', reason: 'there is one lender here: leave it out' }

/**
 * Reads a change. If the loan's status allows changing all requested fields, also checks the dates
 * against the locked loan.
 */
export async function checkChange(
  tx: Tx,
  loan: LockedLoan | undefined,
  body: WellFormed<ChangeLoanBody>,
): Promise<Validation<CheckedChange>> {
  const faults: InvalidParam[] = body.lender_id ? [ONE_LENDER] : []
  const fault = (name: string, reason: string) => faults.push({ name, reason })
  const change = readChange(body, fault)
  const payee = readPayee(body, fault)
  const locked = loan && lockedFields(loan.status, namesOf(body))
  if (locked?.length === 0) faults.push(...(await daysFaults(tx, loan!, change)))
  return { faults, meaning: loan ? { loan, change, payee } : null }
}

async function daysFaults(tx: Tx, loan: LockedLoan, change: LoanChange): Promise<InvalidParam[]> {
  const wanted_due_on =
    loan.status === 'TO_REPAY' ? requestedDueDate(loan, change.to_repay_on) : change.to_repay_on
  const terms = {
    to_pay_on: change.to_pay_on ?? loan.to_pay_on,
    to_repay_on: wanted_due_on ?? loan.to_repay_on,
    repayment_method: change.repayment_method ?? loan.repayment_method,
  }
  const limits = await limitsOf(tx, loan)
  if (UNDECIDED_LOANS.includes(loan.status)) return dayFaults(loan, terms, limits)
  const method = terms.repayment_method as RepaymentMethod
  const fault = repaymentDayFault(loan, terms.to_repay_on, method, limits)
  return fault?.code === 'request_invalid' ? [fault] : []
}

/**
 * Applies a checked change. Throws `state_conflict` for fields that the loan's status does not
 * allow, and otherwise the problem of the first rule that the change breaks.
 */
export async function changeLoan(
  tx: Tx,
  { loan, change, payee }: CheckedChange,
  body: ChangeLoanBody,
  check: PayeeCheck,
): Promise<void> {
  refuseLocked(loan, body)
  refuseOfInstallments(loan, change)
  if (UNDECIDED_LOANS.includes(loan.status)) {
    await changeUndecided(tx, loan, change, payee && { ...payee, check })
  } else if (loan.status === 'TO_REPAY') await changeRunning(tx, loan, change)
  else await changeApproved(tx, loan, change)
}

function namesOf(body: WellFormed<ChangeLoanBody>): string[] {
  const fields = Object.entries(body).filter(([, value]) => value != null)
  return fields.map(([name]) => name)
}

function refuseLocked(loan: LockedLoan, body: ChangeLoanBody): void {
  const locked = lockedFields(loan.status, namesOf(body))
  if (locked === null) throw problem('state_conflict', `loan is ${loan.status}: cannot change`)
  if (locked.length === 0) return
  const reason = `cannot be changed while the loan is ${loan.status}`
  const invalid_params = locked.map(name => ({ name, reason }))
  throw problem('state_conflict', `${locked.join(', ')} ${reason}`, { invalid_params })
}

function readChange(body: WellFormed<ChangeLoanBody>, fault: ReadFault): LoanChange {
  const { to_pay_at, to_repay_at, ...rest } = body
  const read = (name: string, text: string | null | undefined) => {
    const day = text == null ? null : readWireDay(text)
    if (text != null && !day) fault(name, 'is not a day')
    return day
  }
  const to_pay_on = read('to_pay_at', to_pay_at)
  const to_repay_on = read('to_repay_at', to_repay_at)
  // Safe to cast: a change is applied only if the whole body is valid.
  return { ...(rest as ChangeLoanBody), to_pay_on, to_repay_on }
}

function refuseOfInstallments(loan: LockedLoan, change: LoanChange): void {
  const { amount, to_pay_on, to_repay_on } = change
  if (amount == null && !to_pay_on && !to_repay_on) return
  const fault = installmentsFault(loan, amount == null ? 'to_repay_at' : 'amount')
  if (fault) throwFault(fault)
}

/** The contract is final, so only the due date and the references can change. */
async function changeApproved(tx: Tx, loan: LockedLoan, change: LoanChange): Promise<void> {
  const to_repay_on = change.to_repay_on ?? loan.to_repay_on
  const planned = await lockScheduled(tx, 'loan_id', loan)
  const payout = planned.find(p => p.payment_type === 'LOAN_PAYMENT')
  if (payout && to_repay_on <= payout.scheduled_on) {
    throwFault({ code: 'request_invalid', name: 'to_repay_at', reason: 'must be after the payout' })
  }
  const references = referencesOf(loan, change)
  if (payout && change.loan_to_references) {
    await setToReferences(tx, payout, change.loan_to_references)
  }
  await setAgreed(tx, loan, { to_repay_on, ...references })
  amendLoan(
    tx,
    loan,
    describeChanges({
      to_repay_at: [loan.to_repay_on, to_repay_on],
      ...referenceChanges(loan, references),
    }),
  )
}

async function changeRunning(tx: Tx, loan: LockedLoan, change: LoanChange): Promise<void> {
  const input = { to_repay_on: change.to_repay_on, method: change.repayment_method }
  const outcome = await checkRepaymentTerms(tx, loan, input)
  if ('code' in outcome) throwFault(outcome)
  if (change.metadata) {
    await setAgreed(tx, loan, { metadata: change.metadata as never })
    amendLoan(tx, loan, metadataChange(loan, change))
  }
  await agreeRepayment(tx, outcome)
}
