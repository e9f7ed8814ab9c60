/** Actions on a loan, each with the reason when it is unavailable. */
import { changeableOfLoans, paymentMethods, undecidedLoans } from 'virtual:contract'
import type { ChangeLoanBody, Loan } from '@headroom/contract'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { day, money, words } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { useIsLender } from '../kit/session.tsx'
import { usePrincipal } from './loan-write-off.tsx'

interface Of {
  readonly partner: string
  readonly loan: Loan
}

export function LoanActions({ partner, loan }: Of) {
  const { id, status } = loan
  const isLender = useIsLender()
  const params = { loan_id: id }
  const sum = money(loan.amount, loan.currency)
  return (
    <>
      <Action
        label="Validate"
        color="green"
        disabledReason={blockedReason('loan', status, 'validate')}
        info={`${sum} will be paid to ${loan.loan_to.account_number} on ${day(loan.to_pay_at)}, and
          is to be repaid on ${day(loan.to_repay_at)}.`}
        run={() => call('validateLoan', { params, partner })}
        done={`The loan of ${sum} is validated.`}
      />
      <RepaymentDay partner={partner} loan={loan} />
      <RepaymentMethod partner={partner} loan={loan} />
      <Action
        label="Cancel"
        color="red"
        disabledReason={blockedReason('loan', status, 'cancel')}
        info={`${sum} will not be paid out, and the reserved credit is released. This cannot be
          undone.`}
        run={() => call('cancelLoan', { params, partner })}
        done={`The loan of ${sum} is canceled.`}
      />
      {isLender && <PayoutActions partner={partner} loan={loan} />}
      {isLender && (
        <Action
          label="Delete"
          color="red"
          disabledReason={blockedReason('loan', status, 'delete')}
          info={`Removes the loan of ${sum}, which has not been paid out.`}
          fields={[{ name: 'reason', label: 'Reason', kind: 'long' }]}
          run={({ reason = '' }) => call('deleteLoan', { params, body: { reason } })}
          done={`The loan of ${sum} is deleted.`}
        />
      )}
    </>
  )
}

/**
 * Null if the field can change in this status; otherwise a sentence with the statuses that allow
 * it.
 */
function changeBlockedReason(status: string, field: keyof ChangeLoanBody): string | null {
  if (undecidedLoans.includes(status) || changeableOfLoans[status]?.includes(field)) return null
  const statuses = Object.keys(changeableOfLoans).filter(one =>
    changeableOfLoans[one]!.includes(field),
  )
  const when = [...undecidedLoans, ...statuses].map(words).join(', ')
  return `Available when the status is ${when}. It is ${words(status)}.`
}

function RepaymentDay({ partner, loan }: Of) {
  const { id, status, to_repay_at, earliest_to_repay_at } = loan
  const principal = usePrincipal(partner, loan)
  const becomes = (to: string) =>
    to === '' || to === to_repay_at.slice(0, 10) ? '' : `, and will be on ${day(to)}`
  return (
    <Action
      label="Change the day"
      disabledReason={changeBlockedReason(status, 'to_repay_at')}
      info={({ to = '' }) =>
        `${principal} of principal is to be repaid on ${day(to_repay_at)}${becomes(to)}.
        The earliest day is ${day(earliest_to_repay_at)}. A running loan is postponed once only.`
      }
      fields={[{ name: 'to', label: 'Due date', kind: 'day', initial: to_repay_at.slice(0, 10) }]}
      run={({ to = '' }) =>
        call('changeLoan', { params: { loan_id: id }, body: { to_repay_at: to }, partner })
      }
      done="The day is changed."
    />
  )
}

function RepaymentMethod({ partner, loan }: Of) {
  const { id, status, repayment_method } = loan
  const principal = usePrincipal(partner, loan)
  return (
    <Action
      label="Change the method"
      disabledReason={changeBlockedReason(status, 'repayment_method')}
      info={`${principal} of principal is repaid by this now: ${words(repayment_method)}, on
        ${day(loan.to_repay_at)}. Amount and day stay.`}
      fields={[
        { name: 'method', label: 'Repayment method', kind: 'choice', options: paymentMethods },
      ]}
      run={({ method }) =>
        call('changeLoan', {
          params: { loan_id: id },
          body: { repayment_method: method as Loan['repayment_method'] },
          partner,
        })
      }
      done="The method is changed."
    />
  )
}

/** The lender's actions on a payout that failed or that the bank returned. */
function PayoutActions({ partner, loan }: Of) {
  const { id, status, amount, currency, loan_to, to_repay_at } = loan
  const params = { loan_id: id }
  const sum = money(amount, currency)
  const today = useBusinessDate(partner)
  // Both actions require a failed payout, and so does the trigger `retry_payout`. `cancel_payout`
  // is also allowed while a payout is in progress, because the bank may cancel it.
  const unresolvable = blockedReason('loan', status, 'retry_payout')
  const dueDate = to_repay_at.slice(0, 10)
  const late =
    today === undefined
      ? 'Checking the business date.'
      : dueDate <= today
        ? `The loan was due on ${day(dueDate)}. Cancel the payout instead.`
        : null
  return (
    <>
      <Action
        label="Pay again"
        color="green"
        disabledReason={unresolvable ?? late}
        info={`Sends ${sum} to ${loan_to.account_number} again.`}
        run={() => call('payLoanAgain', { params })}
        done={`${sum} will be paid again.`}
      />
      <Action
        label="Cancel payout"
        color="red"
        disabledReason={unresolvable}
        info={`${sum} will not be paid out, and the reserved credit is released. Repayments already
          received are refunded to the payer. This cannot be undone.`}
        run={() => call('cancelLoanPayout', { params })}
        done={`The payout of ${sum} is canceled.`}
      />
    </>
  )
}
