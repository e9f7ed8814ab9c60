/** Writing off a loan: one lender operator proposes it, another approves. */
import type { Loan, WriteOff } from '@headroom/contract'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { day, money } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { useSignedIn } from '../kit/session.tsx'

/** The postings of a loan and its write-offs; visible to the lender only. */
export function useLoanBooks(loan_id: string) {
  return useQuery({
    queryKey: ['loan-books', loan_id],
    queryFn: () => call('getLoanBooks', { params: { loan_id } }),
  })
}

export const OWING_STATUSES: readonly string[] = ['TO_REPAY', 'TO_REPAY_FEES']

/** The loan's payoff amount today; loaded only if the loan is owed. */
export function usePayoff(partner: string, { id: loan_id, status }: Loan) {
  return useQuery({
    queryKey: ['payoff', loan_id],
    queryFn: () => call('getLoanPayoff', { params: { loan_id }, partner }),
    enabled: OWING_STATUSES.includes(status),
  })
}

const WHY = { name: 'reason', label: 'Reason', kind: 'long' } as const

/**
 * The principal owed, formatted. It can exceed the loan's amount: a reclaimed refund counts as
 * principal again.
 */
export function usePrincipal(partner: string, loan: Loan): string {
  const owed = usePayoff(partner, loan).data
  return money(owed?.principal ?? loan.amount - loan.repaid_nominal_amount, loan.currency)
}

export function WriteOffActions({ partner, loan }: { partner: string; loan: Loan }) {
  const { id: loan_id, status, currency } = loan
  const today = useBusinessDate(partner)
  const open = useLoanBooks(loan_id).data?.write_offs.find(one => one.status === 'PROPOSED')
  const owed = usePayoff(partner, loan).data
  const principal = usePrincipal(partner, loan)
  const interest = owed && ` (${money(owed.interest, currency)} as of today)`
  const left = `${principal} of principal with the interest open then${interest ?? ''}`
  if (open) return <Proposal {...open} left={left} principal={principal} />
  return (
    <Action
      label="Write off"
      color="red"
      disabledReason={blockedReason('loan', status, 'write_off')}
      info={({ on = '' }) =>
        `As of ${day(on)} interest ends, and ${left} becomes loss, once somebody else has agreed.`
      }
      fields={[{ name: 'on', label: 'As of', kind: 'day', ...(today && { initial: today }) }, WHY]}
      run={({ on = '', reason = '' }) =>
        call('proposeWriteOff', { params: { loan_id }, body: { written_off_on: on, reason } })
      }
      done="The write-off waits for a second person."
    />
  )
}

function Proposal(proposal: WriteOff & { left: string; principal: string }) {
  const { id, left, principal, written_off_at, proposed_by, reason } = proposal
  const params = { write_off_id: id }
  const own = useSignedIn().operator.email === proposed_by
  return (
    <>
      <Action
        label="Approve the write-off"
        color="red"
        variant="filled"
        disabledReason={own ? 'You cannot approve your own proposal.' : null}
        info={`As of ${day(written_off_at)} ${left} becomes loss, and the loan is closed.
          ${proposed_by} wrote: ${reason}`}
        run={() => call('approveWriteOff', { params })}
        done="The loan is written off."
      />
      <Action
        label={own ? 'Take the write-off back' : 'Reject the write-off'}
        info={`The loan goes on as it is, and ${principal} of principal stay owed.`}
        fields={[WHY]}
        run={({ reason: why = '' }) => call('rejectWriteOff', { params, body: { reason: why } })}
        done="The loan is not written off."
      />
    </>
  )
}
