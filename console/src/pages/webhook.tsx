/** One webhook: its subscription, and the outcome of each delivery. */
import type { Webhook, WebhookDelivery } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Facts, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { count, moment } from '../kit/format.ts'
import { blockedReason, statusesOf } from '../kit/machine.ts'
import { useSecret } from '../kit/secret.tsx'
import { useAdminsOnly } from '../kit/session.tsx'

const route = getRouteApi('/p/$partner/webhook/$webhook')

const FILTERS: readonly Filter[] = [
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('delivery') },
]

export function WebhookPage() {
  const { partner, webhook } = route.useParams()
  const found = useQuery({
    queryKey: ['webhooks', partner, webhook],
    // The API cannot read a single webhook. A partner has few, so one page lists them all.
    queryFn: async () => {
      const { data } = await call('listWebhooks', { query: { page_size: 500 }, partner })
      const one = data.find(({ id }) => id === webhook)
      if (!one) throw new Error('There is no such webhook.')
      return one
    },
  })
  return (
    <QueryResult of={found} title="Webhook">
      {data => <Page webhook={data} partner={partner} />}
    </QueryResult>
  )
}

interface Props {
  readonly webhook: Webhook
  readonly partner: string
}

function Page({ webhook, partner }: Props) {
  const params = { webhook_id: webhook.id }
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead
        title={webhook.name}
        status={webhook.status}
        info={webhook.to_url}
        actions={<Actions webhook={webhook} partner={partner} />}
      />
      <Section title="Subscription">
        <Facts
          of={[
            ['Events', <EventTypes key="events" of={webhook.event_types} />],
            ['Since', moment(webhook.created_at)],
            ['Disabled because', webhook.disabled_reason],
          ]}
        />
      </Section>
      <Section title="Deliveries">
        <Filters of={FILTERS} />
        <DataList
          name="Deliveries"
          queryKey={['deliveries', webhook.id, query]}
          first={() => call('listWebhookDeliveries', { params, query: query as object, partner })}
          partner={partner}
          columns={columns(webhook, partner)}
          rowId={delivery => delivery.id}
          empty="Nothing was sent yet. Send a test, and see what your program answers."
        />
      </Section>
    </Stack>
  )
}

const FEW = 6

function EventTypes({ of }: { of: Webhook['event_types'] }) {
  if (of.length <= FEW) return of.join(', ')
  return (
    <details>
      <summary>{count(of.length)} kinds of events</summary>
      {of.join(', ')}
    </details>
  )
}

function columns(webhook: Webhook, partner: string): readonly Column<WebhookDelivery>[] {
  const last = (delivery: WebhookDelivery) => delivery.attempts.at(-1)
  return [
    momentOf('created_at', 'At', delivery => delivery.created_at),
    plain('event_type', 'Event', delivery => delivery.event_type),
    status(delivery => delivery.status),
    { id: 'attempts', header: 'Attempts', text: one => count(one.attempts.length), numeric: true },
    plain('answer', 'Last answer', delivery => {
      const attempt = last(delivery)
      return attempt?.error ?? attempt?.response_status?.toString()
    }),
    momentOf('next', 'Tried again', delivery => delivery.next_attempt_at),
    {
      id: 'replay',
      header: 'Replay',
      text: () => '',
      acts: true,
      cell: delivery => <SendAgain partner={partner} webhook={webhook} delivery={delivery} />,
    },
  ]
}

interface SendAgainProps {
  readonly partner: string
  readonly webhook: Webhook
  readonly delivery: WebhookDelivery
}

/** Why the webhook receives nothing; null if it is active. */
const disabled = ({ status }: Webhook) =>
  status === 'ACTIVE' ? null : 'The webhook is disabled. Enable it first.'

function SendAgain({ partner, webhook, delivery }: SendAgainProps) {
  const { id: delivery_id, event_type, status } = delivery
  const webhook_id = webhook.id
  return (
    <Action
      label="Send again"
      size="compact-sm"
      disabledReason={
        useAdminsOnly() ?? disabled(webhook) ?? blockedReason('delivery', status, 'retry')
      }
      info={`${event_type} is sent again, with the same id.`}
      run={() => call('retryWebhookDelivery', { params: { webhook_id, delivery_id }, partner })}
      done="It is sent again."
    />
  )
}

function Actions({ webhook, partner }: Props) {
  const adminsOnly = { disabledReason: useAdminsOnly() }
  const navigate = useNavigate()
  const { show, dialog } = useSecret()
  const { id: webhook_id, name, to_url } = webhook
  const params = { webhook_id }
  const on = webhook.status === 'ACTIVE'
  const toggled = on ? 'DISABLED' : 'ACTIVE'
  return (
    <>
      {dialog}
      <Action
        label="Send a test"
        disabledReason={adminsOnly.disabledReason ?? disabled(webhook)}
        info={`A Webhook.TEST is sent to ${to_url}.`}
        run={() => call('testWebhook', { params, partner })}
        done="The test is on its way."
      />
      <Action
        {...adminsOnly}
        label={on ? 'Disable' : 'Enable'}
        info={on ? `Nothing is sent to ${to_url} any more.` : `Events are sent to ${to_url} again.`}
        run={() => call('updateWebhook', { params, body: { status: toggled }, partner })}
        done={on ? 'Disabled.' : 'Enabled.'}
      />
      <Action
        {...adminsOnly}
        label="Rotate the secret"
        info="What is sent from now on is signed by another secret."
        run={async () => {
          const made = await call('rotateWebhookSecret', { params, partner })
          show(`Secret of ${name}`, made.secret)
        }}
        done="The secret is another one."
      />
      <Action
        {...adminsOnly}
        label="Delete"
        color="red"
        info={`“${name}” and the record of its deliveries are gone.`}
        run={async () => {
          await call('deleteWebhook', { params, partner })
          await navigate({ to: '/p/$partner/webhooks' as '/', params: { partner } as never })
        }}
        done="Deleted."
      />
    </>
  )
}
