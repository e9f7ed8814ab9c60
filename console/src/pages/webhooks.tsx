/** A partner's webhooks: the endpoints that receive its events. */
import { eventNames } from 'virtual:contract'
import type { Webhook, WebhookEventType } from '@headroom/contract'
import { MultiSelect, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { count } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { useSecret } from '../kit/secret.tsx'
import { useAdminsOnly } from '../kit/session.tsx'

const route = getRouteApi('/p/$partner/webhooks')

function columns(partner: string): readonly Column<Webhook>[] {
  return [
    {
      id: 'name',
      header: 'Webhook',
      text: one => one.name,
      cell: one => (
        <PageLink to="/p/$partner/webhook/$webhook" params={{ partner, webhook: one.id }}>
          {one.name}
        </PageLink>
      ),
    },
    status(one => one.status),
    plain('to_url', 'Sent to', one => one.to_url),
    {
      id: 'event_types',
      header: 'Events',
      text: one => one.event_types.join(', '),
      cell: ({ event_types: [first, ...others] }) =>
        others.length === 0 ? first : `${first} and ${count(others.length)} more`,
    },
    momentOf('created_at', 'Since', one => one.created_at),
  ]
}

export function WebhooksPage() {
  const { partner } = route.useParams()
  const { show, dialog } = useSecret()
  return (
    <Stack>
      <PageHead
        title="Webhooks"
        info="Where the partner hears of what happens"
        actions={
          <Action
            label="Subscribe"
            variant="filled"
            disabledReason={useAdminsOnly()}
            info="Each event that you choose is sent to this address, signed."
            fields={[
              { name: 'name', label: 'Name' },
              { name: 'to_url', label: 'Address', hint: 'It begins with https://' },
            ]}
            more={(values, set) => (
              <MultiSelect
                label="Events"
                required
                searchable
                data={eventNames}
                value={values.event_types ? values.event_types.split(' ') : []}
                onChange={names => set('event_types', names.join(' '))}
              />
            )}
            run={async ({ name, to_url, event_types }) => {
              const types = (event_types ? event_types.split(' ') : []) as WebhookEventType[]
              const body = { name: name!, to_url: to_url!, event_types: types }
              const made = await call('createWebhook', { body: body as never, partner })
              show(`Secret of ${made.name}`, made.secret)
            }}
            done="Subscribed."
          />
        }
      />
      {dialog}
      <DataList
        name="Webhooks"
        queryKey={['webhooks', partner]}
        first={() => call('listWebhooks', { partner })}
        partner={partner}
        columns={columns(partner)}
        rowId={one => one.id}
        empty="No webhooks yet. Subscribe, and the partner’s program is told what happens."
      />
    </Stack>
  )
}
