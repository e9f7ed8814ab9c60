/**
 * Stops the interest of a case's loans from a given day, as insolvency law may require, or resumes
 * it.
 */
import type { RecollectionCase } from '@headroom/contract'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { day } from '../kit/format.ts'
import { TotalOwed } from './case-debts.tsx'

interface Props {
  readonly of: RecollectionCase
  readonly partner: string
  /** Why interest cannot be stopped; null if it can be. It can be resumed even in a closed case. */
  readonly closed: string | null
}

export function InterestActions({ of, partner, closed }: Props) {
  const today = useBusinessDate(partner) ?? ''
  const params = { recollection_case_id: of.id }
  const standsStill = of.interest_stop !== null && of.interest_stop.resumed_at === null
  const fields = (hint: string) => [
    { name: 'on', label: 'From', kind: 'day' as const, initial: today, hint },
    { name: 'reason', label: 'Reason', kind: 'long' as const },
  ]
  if (standsStill) {
    const { stopped_at } = of.interest_stop!
    return (
      <Action
        label="Let interest run again"
        info={({ on = '' }) => `Its loans bear interest again from ${day(on)}, as their terms say.`}
        fields={fields(
          `Not before ${day(stopped_at)}; from that day on as if it had never stopped.`,
        )}
        run={({ on = '', reason = '' }) =>
          call('resumeCaseInterest', { params, body: { on, reason } })
        }
        done="Interest runs again."
      />
    )
  }
  return (
    <Action
      label="Stop interest"
      color="red"
      disabledReason={closed ?? (of.loan_ids.length === 0 ? 'No loan is in the case.' : null)}
      info={({ on = '' }) => (
        <TotalOwed of={of} partner={partner}>
          {total =>
            `From ${day(on)} none of its ${of.loan_ids.length} loans bears interest, by law, until
            it is let run again. What was billed since is corrected. Today ${total} is owed in all.`
          }
        </TotalOwed>
      )}
      fields={fields('The first day without interest; it may be past.')}
      run={({ on = '', reason = '' }) => call('stopCaseInterest', { params, body: { on, reason } })}
      done="Interest stands still."
    />
  )
}
