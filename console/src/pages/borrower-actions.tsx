/** The lender's actions on a borrower and on its KYB review. */
import { denialCodes } from 'virtual:contract'
import type { Borrower, DenialCode } from '@headroom/contract'
import { Action, type Field } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { blockedReason } from '../kit/machine.ts'
import { LoanSummary } from './loan-summary.tsx'

const REASON: Field = { name: 'reason', label: 'Reason', kind: 'choice', options: denialCodes }
const codeOf = (values: Readonly<Record<string, string>>) => ({
  reason: values.reason as DenialCode,
})

export function BorrowerActions({ partner, borrower }: { partner: string; borrower: Borrower }) {
  const { id, name, identifier, status } = borrower
  const who = name ?? identifier
  const params = { borrower_id: id }
  const of = { partner, borrower_id: id }
  return (
    <>
      {status === 'BLOCKED' ? (
        <Action
          label="Unblock"
          disabledReason={
            borrower.compliance_checks.status === 'REJECTED'
              ? 'Its KYB review was rejected: review it again instead.'
              : null
          }
          info={`${who} may draw again. If it is still late, it is blocked again by itself.`}
          run={() => call('unblockBorrower', { params })}
          done={`${who} may draw again.`}
        />
      ) : (
        <Action
          label="Block"
          color="orange"
          disabledReason={blockedReason('borrower', status, 'block')}
          info={
            <LoanSummary {...of}>
              {({ owed }) =>
                `${who} may draw nothing until somebody unblocks it. It owes ${owed}, and that
                stays owed.`
              }
            </LoanSummary>
          }
          fields={[REASON]}
          run={values => call('blockBorrower', { params, body: codeOf(values) })}
          done={`${who} is blocked.`}
        />
      )}
      <Action
        label="Prohibit"
        color="red"
        disabledReason={blockedReason('borrower', status, 'prohibit')}
        info={
          <LoanSummary {...of}>
            {({ waiting, approved, owed }) =>
              `Lending to ${who} ends for good; this cannot be undone. Of what was not paid out,
              ${waiting} waiting and ${approved} approved, nothing will be. It owes ${owed}, which
              is collected as before.`
            }
          </LoanSummary>
        }
        fields={[REASON]}
        run={values => call('prohibitBorrower', { params, body: codeOf(values) })}
        done={`Lending to ${who} has ended.`}
      />
    </>
  )
}

interface KybProps {
  readonly partner: string
  readonly borrower_id: string
  readonly who: string
  readonly status: Borrower['compliance_checks']['status']
}

export function KybActions({ partner, borrower_id, who, status }: KybProps) {
  const of = { partner, borrower_id }
  const set = (to: 'REVIEWING' | 'APPROVED' | 'REJECTED' | 'PENDING_USER_ACTION') => () =>
    call('reviewKyb', { params: { borrower_id }, body: { status: to } })
  return (
    <>
      <Action
        label="Approve"
        color="green"
        variant="filled"
        disabledReason={blockedReason('compliance', status, 'approve')}
        info={
          <LoanSummary {...of}>
            {({ undecided }) =>
              `${who} has passed its review. What waits for it is decided at once: ${undecided}.`
            }
          </LoanSummary>
        }
        run={set('APPROVED')}
        done="The review is approved."
      />
      <Action
        label="Ask the company"
        disabledReason={blockedReason('compliance', status, 'ask_user')}
        info={
          <LoanSummary {...of}>
            {({ undecided }) =>
              `Something is missing that only ${who} can give. What waits until then: ${undecided}.`
            }
          </LoanSummary>
        }
        run={set('PENDING_USER_ACTION')}
        done="The company is asked."
      />
      <Action
        label="Reject"
        color="red"
        disabledReason={blockedReason('compliance', status, 'reject')}
        info={
          <LoanSummary {...of}>
            {({ waiting, approved }) =>
              `${who} has not passed its review. What waits for it is declined: ${waiting}. What was
              approved and not paid out yet is canceled: ${approved}.`
            }
          </LoanSummary>
        }
        run={set('REJECTED')}
        done="The review is rejected."
      />
      <Action
        label="Review"
        disabledReason={blockedReason('compliance', status, 'reopen', 'review')}
        info={`The review of ${who} is opened again. New loans wait until it is decided.`}
        run={set('REVIEWING')}
        done="The review is open."
      />
    </>
  )
}
