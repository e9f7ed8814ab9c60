/** Who did what: every step that anything took, newest first. */
import type { StateChange } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { words } from '../kit/format.ts'
import { Status } from '../kit/status.tsx'

const FILTERS: readonly Filter[] = [{ kind: 'text', name: 'resource_id', label: 'Id of one thing' }]

const COLUMNS: readonly Column<StateChange>[] = [
  momentOf('at', 'At', change => change.at),
  plain('actor', 'Who', change => change.actor),
  plain('trigger', 'Did', change => words(change.trigger)),
  plain('resource', 'To', change => words(change.resource)),
  plain('resource_id', 'Id', change => change.resource_id),
  plain('from', 'From', change => change.from_status && words(change.from_status)),
  {
    ...{ id: 'status', header: 'Is now', text: change => words(change.to_status) },
    cell: change => <Status value={change.to_status} />,
  },
  plain('reason', 'Why', change => change.reason),
]

export function AuditPage() {
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Audit trail" says="Nothing of it can be changed" />
      <Filters of={FILTERS} />
      <DataList
        name="Audit trail"
        queryKey={['audit', query]}
        first={() => call('listStateChanges', { query: query as object })}
        columns={COLUMNS}
        rowId={change => change.id}
        empty="Nothing has happened yet, or nothing to the thing of that id."
      />
    </Stack>
  )
}
