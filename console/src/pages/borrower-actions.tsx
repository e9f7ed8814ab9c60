/** What the lender decides about a borrower. */
import { denialCodes } from 'virtual:contract'
import type { Borrower, DenialCode } from '@headroom/contract'
import { Action, type Field } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { whyNot } from '../kit/machine.ts'

const REASON: Field = { name: 'reason', label: 'Reason', kind: 'choice', options: denialCodes }
const codeOf = (values: Readonly<Record<string, string>>) => ({
  reason: values.reason as DenialCode,
})

export function BorrowerActions({ id, name, identifier, status }: Borrower) {
  const who = name ?? identifier
  const params = { borrower_id: id }
  return (
    <>
      {status === 'BLOCKED' ? (
        <Action
          label="Unblock"
          says={`${who} may draw again. If it is still late, it is blocked again by itself.`}
          run={() => call('unblockBorrower', { params })}
          done={`${who} may draw again.`}
        />
      ) : (
        <Action
          label="Block"
          color="orange"
          whyNot={whyNot('borrower', status, 'block')}
          says={`${who} may draw nothing until somebody unblocks it. What it owes stays owed.`}
          fields={[REASON]}
          run={values => call('blockBorrower', { params, body: codeOf(values) })}
          done={`${who} is blocked.`}
        />
      )}
      <Action
        label="Prohibit"
        color="red"
        whyNot={whyNot('borrower', status, 'prohibit')}
        says={`Lending to ${who} ends for good; this cannot be undone. Loans that were not paid out
          are canceled, and what it owes is collected as before.`}
        fields={[REASON]}
        run={values => call('prohibitBorrower', { params, body: codeOf(values) })}
        done={`Lending to ${who} has ended.`}
      />
    </>
  )
}

interface KybProps {
  readonly borrower_id: string
  readonly who: string
  readonly status: Borrower['compliance_checks']['status']
}

export function KybActions({ borrower_id, who, status }: KybProps) {
  const set = (to: 'REVIEWING' | 'APPROVED' | 'REJECTED' | 'PENDING_USER_ACTION') => () =>
    call('reviewKyb', { params: { borrower_id }, body: { status: to } })
  return (
    <>
      <Action
        label="Approve"
        color="green"
        variant="filled"
        whyNot={whyNot('compliance', status, 'approve')}
        says={`${who} has passed its review. Loans that wait for it are decided at once.`}
        run={set('APPROVED')}
        done="The review is approved."
      />
      <Action
        label="Ask the company"
        whyNot={whyNot('compliance', status, 'ask_user')}
        says={`Something is missing that only ${who} can give. Its loans wait on.`}
        run={set('PENDING_USER_ACTION')}
        done="The company is asked."
      />
      <Action
        label="Reject"
        color="red"
        whyNot={whyNot('compliance', status, 'reject')}
        says={`${who} has not passed its review. Every loan that waits for it is declined, and one
          that was not paid out yet is canceled.`}
        run={set('REJECTED')}
        done="The review is rejected."
      />
      <Action
        label="Review"
        whyNot={whyNot('compliance', status, 'reopen', 'review')}
        says={`The review of ${who} is opened again. New loans wait until it is decided.`}
        run={set('REVIEWING')}
        done="The review is open."
      />
    </>
  )
}
