/** Changes a loan as its status allows: all or nothing. */
import { type ChangeLoanBody, UNDECIDED_LOANS } from '@headroom/contract'
import { lockScheduled, setToReferences } from '../../../money/payments/index.ts'
import type { PayeeCheck } from '../../../outside/ports/bank.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readWireDay } from '../../../platform/kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import type { RepaymentMethod } from '../dates.ts'
import { inspectPayee } from '../requests/read-request.ts'
import { type LoanRow, setAgreed } from '../store.ts'
import {
  agreeRepayment,
  amendLoan,
  inspectRepayment,
  installmentsFault,
  limitsOf,
} from './agree-repayment.ts'
import { changeUndecided, dayFaults } from './change-undecided.ts'
import { dayWished, describeChanges, lockedFields, repaymentDayFault } from './changeable.ts'
import {
  type Change,
  metadataChange,
  referenceChanges,
  referencesOf,
  refuse,
} from './changes-asked.ts'

/**
 * Changes a locked loan. Throws `state_conflict` for what its status does not allow,
 * `request_invalid` for a day out of bounds, `change_refused` for what the rules would not grant,
 * `already_postponed` and `collection_frozen`.
 */
export async function changeLoan(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  body: ChangeLoanBody,
  check: PayeeCheck,
): Promise<void> {
  refuseLocked(loan, body)
  if (body.lender_id) throw invalid(ONE_LENDER)
  const change = readChange(body)
  await refuseOfInstallments(tx, loan, change)
  if (UNDECIDED_LOANS.includes(loan.status)) await changeUndecided(tx, actor, loan, change, check)
  else if (loan.status === 'TO_REPAY') await changeRunning(tx, actor, loan, change)
  else await changeApproved(tx, actor, loan, change)
}

const ONE_LENDER = { name: 'lender_id', reason: 'there is one lender here: leave it out' }

/** What is wrong with a change as far as it is told, beside what its schema says. */
export async function changeFaults(
  tx: Tx,
  loan: LoanRow | undefined,
  body: WellFormed<ChangeLoanBody>,
): Promise<InvalidParam[]> {
  const faults: InvalidParam[] = body.lender_id ? [ONE_LENDER] : []
  inspectPayee(body, (name, reason) => faults.push({ name, reason }))
  if (!loan || lockedFields(loan.status, Object.keys(body))?.length !== 0) return faults
  const dayOf = (text: string | null | undefined) => (text ? readWireDay(text) : null)
  const terms = {
    to_pay_on: dayOf(body.to_pay_at) ?? loan.to_pay_on,
    to_repay_on: dayWished(loan, dayOf(body.to_repay_at)),
    repayment_method: body.repayment_method ?? loan.repayment_method,
  }
  const limits = await limitsOf(tx, loan)
  if (UNDECIDED_LOANS.includes(loan.status)) return [...faults, ...dayFaults(loan, terms, limits)]
  const method = terms.repayment_method as RepaymentMethod
  const fault = repaymentDayFault(loan, terms.to_repay_on, method, limits)
  return fault ? [...faults, fault] : faults
}

function refuseLocked(loan: LoanRow, body: ChangeLoanBody): void {
  const asked = Object.entries(body).filter(([, value]) => value != null)
  const locked = lockedFields(
    loan.status,
    asked.map(([name]) => name),
  )
  if (locked === null) throw problem('state_conflict', `loan is ${loan.status}: cannot change`)
  if (locked.length === 0) return
  const reason = `cannot be changed while the loan is ${loan.status}`
  const invalid_params = locked.map(name => ({ name, reason }))
  throw problem('state_conflict', `${locked.join(', ')} ${reason}`, { invalid_params })
}

function readChange({ to_pay_at, to_repay_at, ...rest }: ChangeLoanBody): Change {
  const faults: InvalidParam[] = []
  const read = (name: string, text: string | null | undefined) => {
    const day = text == null ? null : readWireDay(text)
    if (text != null && !day) faults.push({ name, reason: 'is not a day' })
    return day
  }
  const to_pay_on = read('to_pay_at', to_pay_at)
  const to_repay_on = read('to_repay_at', to_repay_at)
  if (faults.length > 0) throw invalid(faults)
  return { ...rest, to_pay_on, to_repay_on }
}

async function refuseOfInstallments(tx: Tx, loan: LoanRow, change: Change): Promise<void> {
  const { amount, to_pay_on, to_repay_on } = change
  if (amount == null && !to_pay_on && !to_repay_on) return
  const fault = await installmentsFault(tx, loan, amount == null ? 'to_repay_at' : 'amount')
  if (fault) refuse(fault)
}

/** The contract stands; the agreed day and the references may still move. */
async function changeApproved(tx: Tx, actor: Actor, loan: LoanRow, change: Change): Promise<void> {
  const to_repay_on = change.to_repay_on ?? loan.to_repay_on
  const planned = await lockScheduled(tx, { loan_id: loan.id })
  const payout = planned.find(p => p.payment_type === 'LOAN_PAYMENT')
  const limits = await limitsOf(tx, loan)
  const method = loan.repayment_method as RepaymentMethod
  const fault = repaymentDayFault(loan, to_repay_on, method, limits)
  if (fault) refuse(fault)
  if (payout && to_repay_on <= payout.scheduled_on) {
    refuse({ code: 'request_invalid', name: 'to_repay_at', reason: 'must be after the payout' })
  }
  const references = referencesOf(loan, change)
  if (payout && change.loan_to_references) {
    await setToReferences(tx, payout.id, change.loan_to_references)
  }
  await setAgreed(tx, loan.id, { to_repay_on, ...references })
  await amendLoan(
    tx,
    actor,
    loan,
    describeChanges({
      to_repay_at: [loan.to_repay_on, to_repay_on],
      ...referenceChanges(loan, references),
    }),
  )
}

async function changeRunning(tx: Tx, actor: Actor, loan: LoanRow, change: Change): Promise<void> {
  const wish = { to_repay_on: change.to_repay_on, method: change.repayment_method }
  const outcome = await inspectRepayment(tx, loan, wish)
  if ('code' in outcome) refuse(outcome)
  if (change.metadata) {
    await setAgreed(tx, loan.id, { metadata: change.metadata as never })
    await amendLoan(tx, actor, loan, metadataChange(loan, change))
  }
  await agreeRepayment(tx, actor, outcome)
}
