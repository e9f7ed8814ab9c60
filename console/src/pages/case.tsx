/** One collections case: amounts owed, actions, installment plans and notes. */
import type { RecollectionAction, RecollectionCase } from '@headroom/contract'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { Facts, History, Json, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { count, day, moment } from '../kit/format.ts'
import { blockedReason } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { useIsLender } from '../kit/session.tsx'
import { SideBySide } from '../kit/side-by-side.tsx'
import { DebtTable, TotalOwed } from './case-debts.tsx'
import { InterestActions } from './case-interest.tsx'
import { Plans } from './case-plans.tsx'

const route = getRouteApi('/p/$partner/case/$case')

export function CasePage() {
  const { partner, case: recollection_case_id } = route.useParams()
  const found = useQuery({
    queryKey: ['case', recollection_case_id],
    queryFn: () => call('getRecollectionCase', { params: { recollection_case_id }, partner }),
  })
  return (
    <QueryResult of={found} title="Collections">
      {data => <Page of={data} partner={partner} />}
    </QueryResult>
  )
}

export interface CaseProps {
  readonly of: RecollectionCase
  readonly partner: string
}

function Page({ of, partner }: CaseProps) {
  const { agent, interest_stop: stop, borrower_id, created_at, closed_at } = of
  const { name, identifier } = of.debtor_business
  return (
    <Stack>
      <PageHead
        title={`Collections case: ${name ?? identifier}`}
        status={of.status}
        info={`Assigned to ${agent}`}
        actions={<Actions of={of} partner={partner} />}
      />
      <SideBySide side={<CaseSidebar of={of} partner={partner} />}>
        <Section title="What it is about">
          <Facts
            of={[
              [
                'Borrower',
                <PageLink
                  key="borrower"
                  to="/p/$partner/borrower/$borrower"
                  params={{ partner, borrower: borrower_id }}
                >
                  {name ? `${name}, ${identifier}` : identifier}
                </PageLink>,
              ],
              ['Days late today', count(of.days_late)],
              ['Open since', moment(created_at)],
              ['Closed', closed_at && `${moment(closed_at)}, ${of.close_reason}`],
              [
                stop?.resumed_at ? 'Interest stood still' : 'Interest stands still',
                stop && stopWords(stop),
              ],
            ]}
          />
          <DebtTable of={of} partner={partner} />
        </Section>
        <Plans of={of} partner={partner} />
        <Json of={of} />
      </SideBySide>
    </Stack>
  )
}

function stopWords(stop: NonNullable<RecollectionCase['interest_stop']>): string {
  const { stopped_at, reason, resumed_at, resume_reason } = stop
  const until = resumed_at ? ` until ${day(resumed_at)}, ${resume_reason}` : ''
  return `from ${day(stopped_at)}, ${reason}${until}`
}

function Actions({ of, partner }: CaseProps) {
  const params = { recollection_case_id: of.id }
  const closed = blockedReason('recollection_case', of.status, 'close')
  const isLender = useIsLender()
  return (
    <>
      {!closed && (
        <Button
          renderRoot={props => (
            <Link
              to={'/p/$partner/case/$case/plan' as '/'}
              params={{ partner, case: of.id } as never}
              {...props}
            />
          )}
        >
          Build a plan
        </Button>
      )}
      <Action
        label="Plan an action"
        disabledReason={closed}
        info="Whoever sees to the case is to do this on that day."
        fields={[
          { name: 'action_name', label: 'Action' },
          { name: 'due_at', label: 'Due on', kind: 'day' },
          { name: 'short_description', label: 'What for', kind: 'long', optional: true },
        ]}
        run={({ action_name, due_at, short_description }) => {
          const body = {
            action_name: action_name!,
            due_at: due_at!,
            short_description: short_description || null,
          }
          return call('addRecollectionAction', { params, body, partner })
        }}
        done="The action is planned."
      />
      {isLender && <InterestActions of={of} partner={partner} closed={closed} />}
      <Action
        label="Close"
        color="red"
        disabledReason={closed}
        info={
          <TotalOwed of={of} partner={partner}>
            {total =>
              of.strategies.length > 0
                ? `Its plans are canceled, and what is owed, ${total} today, is due again at once.`
                : `Nobody sees to it any more. What is owed, ${total} today, stays owed.`
            }
          </TotalOwed>
        }
        fields={[{ name: 'reason', label: 'Reason', kind: 'long' }]}
        run={({ reason }) =>
          call('closeRecollectionCase', { params, body: { reason: reason! }, partner })
        }
        done="The case is closed."
      />
    </>
  )
}

function CaseSidebar({ of, partner }: CaseProps) {
  const params = { recollection_case_id: of.id }
  const notes = Object.entries(of.recollection_notes ?? {})
  return (
    <>
      <Section title="Next action">
        <NextAction of={of} action={of.next_action} partner={partner} />
      </Section>
      <Section title="Done so far">
        {of.past_actions.length === 0 && <Text c="dimmed">Nothing yet.</Text>}
        <History
          of={of.past_actions.map(action => ({
            at: action.action_status_date,
            what: action.action_name,
            info: action.action_status_details ?? action.short_description,
          }))}
        />
      </Section>
      <Section
        title="Notes"
        actions={
          <Action
            label="Add a note"
            size="compact-sm"
            info="Everybody who may see the case reads it."
            fields={[
              { name: 'name', label: 'About' },
              { name: 'note', label: 'Note', kind: 'long' },
            ]}
            run={async ({ name = '', note = '' }) => {
              // Read again: another operator may have added a note since the page loaded.
              const { recollection_notes: known } = await call('getRecollectionCase', {
                params,
                partner,
              })
              const before = known?.[name]
              const text = before === undefined ? note : `${before}\n${note}`
              const recollection_notes = { ...known, [name]: text }
              return call('updateRecollectionCase', {
                params,
                body: { recollection_notes },
                partner,
              })
            }}
            done="The note is kept."
          />
        }
      >
        {notes.length === 0 && <Text c="dimmed">None yet.</Text>}
        <Facts of={notes.map(([name, note]) => [name, String(note)] as const)} />
      </Section>
    </>
  )
}

function NextAction({ of, action, partner }: CaseProps & { action: RecollectionAction }) {
  const params = { recollection_case_id: of.id, action_id: action.id }
  const change = (body: object) => call('updateRecollectionAction', { params, body, partner })
  const over = blockedReason('recollection_action', action.action_status, 'do')
  const shared = { disabledReason: over, size: 'compact-sm' } as const
  return (
    <Stack gap="xs">
      <Text fw={600}>{action.action_name}</Text>
      <Text size="sm">Due {day(action.due_at)}</Text>
      {action.short_description && <Text size="sm">{action.short_description}</Text>}
      <Group gap="xs">
        <Action
          {...shared}
          label="Done"
          info={`“${action.action_name}” is done.`}
          fields={[{ name: 'details', label: 'What came of it', kind: 'long', optional: true }]}
          run={({ details }) =>
            change({ action_status: 'DONE', action_status_details: details || null })
          }
          done="Noted as done."
        />
        <Action
          {...shared}
          label="Put off"
          info={`“${action.action_name}” is due on another day.`}
          fields={[{ name: 'due_at', label: 'New day', kind: 'day' }]}
          run={({ due_at }) => change({ due_at })}
          done="Put off."
        />
        <Action
          {...shared}
          label="Drop"
          info={`“${action.action_name}” is not done.`}
          run={() => change({ action_status: 'CANCELED' })}
          done="Dropped."
        />
      </Group>
    </Stack>
  )
}
