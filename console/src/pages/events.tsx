/** A partner's event feed; each event shows the resource as it was at that time. */
import { eventNames } from 'virtual:contract'
import type { WebhookEvent } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { idOf, momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Json, PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'

const route = getRouteApi('/p/$partner/events')

const FILTERS: readonly Filter[] = [
  { kind: 'many', name: 'type', label: 'Event', options: eventNames },
]

const COLUMNS: readonly Column<WebhookEvent>[] = [
  momentOf('timestamp', 'At', event => event.timestamp),
  plain('type', 'Event', event => event.type),
  idOf('thing', 'Of', ({ data }) => (data as { id?: string } | null)?.id),
  {
    id: 'data',
    header: 'Data',
    text: event => JSON.stringify(event.data),
    cell: event => <Json of={event.data} />,
  },
]

export function EventsPage() {
  const { partner } = route.useParams()
  const chosen = useListQuery(FILTERS)
  const query = chosen as object
  const read = (of: object) => call('listWebhookEvents', { query: of, partner })
  return (
    <Stack>
      <PageHead title="Events" info="What webhooks send, the newest first" />
      <Filters of={FILTERS} />
      <DataList
        name="Events"
        queryKey={['events', partner, chosen]}
        first={() => read({ ...query, cursor: 'last' })}
        whole={() => read(query)}
        backwards
        partner={partner}
        columns={COLUMNS}
        rowId={event => event.id}
        empty="No events here. Whatever changes in the partner’s world is told here, in its order."
      />
    </Stack>
  )
}
