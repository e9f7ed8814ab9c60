/** Opens a collections case on a loan that is owed, before the service opens one itself. */
import type { BodyInput, Loan } from '@headroom/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { useBusinessDate } from '../kit/business-date.ts'
import { words } from '../kit/format.ts'
import { useSignedIn } from '../kit/session.tsx'
import { OWING_STATUSES } from './loan-write-off.tsx'

type Debtor = BodyInput<'createRecollectionCase'>['debtor_business']

export function OpenCase({ partner, loan }: { partner: string; loan: Loan }) {
  const navigate = useNavigate()
  const { email } = useSignedIn().operator
  const today = useBusinessDate(partner) ?? ''
  const { name, identifier, identifier_type } = loan.borrower
  return (
    <Action
      label="Open a case"
      disabledReason={useCaseBlockedReason(partner, loan)}
      info={`A collections case for ${name ?? identifier} opens with this loan: somebody handles it,
        and plans and notes are kept there. It opens by itself when a loan is late for long.`}
      fields={[
        { name: 'agent', label: 'Assigned to', initial: email },
        { name: 'action_name', label: 'First action', initial: 'Contact the debtor' },
        { name: 'due_at', label: 'Due on', kind: 'day', initial: today },
      ]}
      run={async ({ agent = '', action_name = '', due_at = '' }) => {
        const opened = await call('createRecollectionCase', {
          partner,
          body: {
            agent,
            loan_ids: [loan.id],
            next_action: { action_name, due_at },
            debtor_business: { identifier, identifier_type } as Debtor,
          },
        })
        const params = { partner, case: opened.id }
        await navigate({ to: '/p/$partner/case/$case' as '/', params: params as never })
      }}
      done="The case is open."
    />
  )
}

/** Why no case can be opened for the loan; null if one can. A loan is in at most one open case. */
function useCaseBlockedReason(partner: string, { id, status, borrower }: Loan): string | null {
  const isOwing = OWING_STATUSES.includes(status)
  const query = { identifier: borrower.identifier, status: 'OPEN' } as const
  const { data } = useQuery({
    queryKey: ['open-cases', partner, query],
    queryFn: () => call('listRecollectionCases', { query, partner }),
    enabled: isOwing,
  })
  if (!isOwing) return `It is ${words(status)}: it owes nothing.`
  if (!data) return 'Checking for an open case.'
  const isInCase = data.data.some(({ loan_ids }) => loan_ids.includes(id))
  return isInCase ? 'An open case already covers this loan.' : null
}
