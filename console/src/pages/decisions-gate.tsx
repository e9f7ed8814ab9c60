/** Whether writes by a partner's users require decisions, as writes by its agents do. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { QueryResult, Section } from '../kit/detail.tsx'
import { useAdminsOnly } from '../kit/session.tsx'

export function DecisionsGate({ partner }: { partner: string }) {
  const gate = useQuery({
    queryKey: ['gate', partner],
    queryFn: () => call('getGate', { partner }),
  })
  return (
    <QueryResult of={gate}>
      {({ people_need_decisions }) => (
        <Section
          title="Who needs a decision"
          actions={!people_need_decisions && <RequireForPeople partner={partner} />}
        >
          <Text>
            {people_need_decisions
              ? `Agents and people: whatever is written has to be proposed and approved first. It
                takes a decision to let people write without one again.`
              : 'Agents alone: people write without one.'}
          </Text>
        </Section>
      )}
    </QueryResult>
  )
}

function RequireForPeople({ partner }: { partner: string }) {
  return (
    <Action
      label="People need them too"
      color="red"
      disabledReason={useAdminsOnly()}
      info="From now on, everyone at the partner needs an approved decision to change anything, in
        the console or with a key. Switching this off again needs a decision too."
      run={() => call('setGate', { body: { people_need_decisions: true }, partner })}
      done="People need decisions too."
    />
  )
}
