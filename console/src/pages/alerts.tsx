/** Kill switches, which stop payouts or collections at once, and open alerts. */
import type { ActiveSwitch, Alert } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { momentOf, plain, ResourceLink } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { count, money, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { PartnerField, PartnerName } from '../kit/partner-select.tsx'
import { Rows } from '../kit/rows.tsx'
import { useSignedIn } from '../kit/session.tsx'

export function AlarmsPage() {
  return (
    <Stack>
      <PageHead title="Switches and alerts" />
      <Switches />
      <Alerts />
    </Stack>
  )
}

const SWITCHES: readonly Column<ActiveSwitch>[] = [
  plain('kind', 'Stopped', one => words(one.kind)),
  {
    id: 'partner',
    header: 'Partner',
    text: one => one.partner_id ?? 'All',
    cell: one => (one.partner_id ? <PartnerName id={one.partner_id} /> : 'All'),
  },
  plain('reason', 'Reason', one => one.reason),
  plain('by', 'By', one => one.thrown_by),
  momentOf('at', 'Since', one => one.thrown_at),
  {
    id: 'lift',
    header: 'What to do',
    text: () => '',
    acts: true,
    cell: one => <DeactivateSwitch {...one} />,
  },
]

function Switches() {
  const thrown = useQuery({ queryKey: ['switches'], queryFn: () => call('listSwitches') })
  return (
    <Section title="Kill switches" actions={<ActivateSwitch />}>
      <QueryResult of={thrown}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">
              Nothing is stopped. A switch stops all payouts, all collections or one partner at
              once; somebody else lets it go on.
            </Text>
          ) : (
            <Rows
              label="Kill switches"
              columns={SWITCHES}
              rows={[...data]}
              csv
              rowId={one => one.id}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

function ActivateSwitch() {
  return (
    <Action
      label="Stop"
      color="red"
      variant="filled"
      info={({ kind, partner_id }) =>
        kind === 'partner' ? (
          <>
            Payouts of{' '}
            {partner_id ? <PartnerName id={partner_id} /> : 'the partner that you choose'} stop at
            once{partner_id && <Held kind={kind} partner_id={partner_id} />}.
          </>
        ) : kind ? (
          <>
            All {kind} stop at once
            <Held kind={kind as ActiveSwitch['kind']} partner_id={null} />.
          </>
        ) : (
          'Say what is to stop, at once.'
        )
      }
      fields={[
        { name: 'kind', label: 'What', kind: 'choice' as const, options: KINDS },
        { name: 'reason', label: 'Reason', kind: 'long' },
      ]}
      more={({ kind, partner_id = '' }, set) =>
        kind === 'partner' && (
          <PartnerField value={partner_id} onChange={id => set('partner_id', id)} />
        )
      }
      run={({ kind, partner_id, reason = '' }) => {
        const of = kind === 'partner' ? partner_id || null : null
        const body = { kind: kind as ActiveSwitch['kind'], partner_id: of, reason }
        return call('throwSwitch', { body })
      }}
      done="It is stopped."
    />
  )
}

const KINDS = ['payouts', 'collections', 'partner']

/** The number and amount of the payments that a kill switch holds, or would hold. */
function Held({ kind, partner_id }: Pick<ActiveSwitch, 'kind' | 'partner_id'>) {
  const query = { kind, partner_id: partner_id ?? undefined }
  const { data, error } = useQuery({
    queryKey: ['held', query],
    queryFn: () => call('getHeldPayments', { query }),
  })
  if (error) return <>: nobody knows how much, for {error.message}</>
  return <>: {data ? `${count(data.payments)} payments of ${money(data.amount)} in all` : '…'}</>
}

function DeactivateSwitch({ kind, partner_id, thrown_by }: ActiveSwitch) {
  const own = useSignedIn().operator.email === thrown_by
  return (
    <Action
      size="xs"
      label="Let it go on"
      disabledReason={own ? 'You stopped it yourself. Another operator has to let it go on.' : null}
      info={
        <>
          {words(kind)}: it goes on, and what waited goes out
          <Held kind={kind} partner_id={partner_id} />. It was stopped by {thrown_by}.
        </>
      }
      run={() => call('liftSwitch', { body: { kind, partner_id } })}
      done="It goes on."
    />
  )
}

const ALERTS: readonly Column<Alert>[] = [
  plain('kind', 'What', alert => words(alert.kind)),
  plain('detail', 'Detail', alert => alert.detail),
  {
    id: 'subject',
    header: 'Of',
    text: alert => alert.subject_id,
    cell: ({ kind, subject_id }) => <Subject kind={kind} subject_id={subject_id} />,
  },
  momentOf('at', 'Raised', alert => alert.raised_at),
  {
    id: 'seen',
    header: 'What to do',
    text: () => '',
    acts: true,
    cell: alert => <Acknowledge {...alert} />,
  },
]

/** Links to the subject's page, or to a list if the subject has no page. The books have neither. */
function Subject({ kind, subject_id }: Pick<Alert, 'kind' | 'subject_id'>) {
  if (kind === 'day_unfinished') return <PageLink to="/desk/jobs">Business days</PageLink>
  if (kind === 'books_wrong') return <Text size="sm">All books</Text>
  if (!kind.startsWith('suspense')) return <ResourceLink id={subject_id} />
  return (
    <PageLink to="/desk/suspense" search={{ status: kind === 'suspense' ? 'OPEN' : 'SENT_BACK' }}>
      Suspense
    </PageLink>
  )
}

function Alerts() {
  const alerts = useQuery({ queryKey: ['alerts'], queryFn: () => call('listAlerts') })
  return (
    <Section title="Alerts">
      <QueryResult of={alerts}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No alerts. What somebody has to see to is listed here.</Text>
          ) : (
            <Rows label="Alerts" columns={ALERTS} rows={[...data]} csv rowId={alert => alert.id} />
          )
        }
      </QueryResult>
    </Section>
  )
}

function Acknowledge({ id, detail }: Alert) {
  return (
    <Action
      size="xs"
      label="Resolve"
      info={`Marks the alert as resolved: ${detail}`}
      run={() => call('acknowledgeAlert', { params: { alert_id: id } })}
      done="The alert is resolved."
    />
  )
}
