/** The audit log, with filters by resource and kind. */
import { auditKinds } from 'virtual:contract'
import type { AuditEntry } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { reasonWords, shortId, words } from '../kit/format.ts'
import { Status } from '../kit/status.tsx'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'resource_id', label: 'Id of one thing' },
  { kind: 'many', name: 'kind', label: 'What kind', options: auditKinds },
]

const COLUMNS: readonly Column<AuditEntry>[] = [
  momentOf('at', 'At', entry => entry.at),
  plain('actor', 'Who', entry => entry.actor),
  plain('did', 'Did', entry => words(entry.did)),
  plain('resource', 'To', entry => words(entry.resource)),
  {
    id: 'resource_id',
    header: 'Id',
    text: entry => entry.resource_id ?? '–',
    cell: ({ resource_id: id }) => (id ? <span title={id}>{shortId(id)}</span> : '–'),
  },
  plain('from', 'From', entry => entry.from_status && words(entry.from_status)),
  {
    id: 'status',
    header: 'Is now',
    text: entry => words(entry.to_status),
    cell: ({ to_status }) => (to_status ? <Status value={to_status} /> : '–'),
  },
  plain('reason', 'Why', entry => reasonWords(entry.reason)),
]

export function AuditPage() {
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Audit trail" info="Entries cannot be changed" />
      <Filters of={FILTERS} />
      <DataList
        name="Audit trail"
        queryKey={['audit', query]}
        first={() => call('listAudit', { query: query as object })}
        columns={COLUMNS}
        rowId={entry => `${entry.kind} ${entry.id}`}
        empty="Nothing has happened yet, or nothing to the thing of that id."
      />
    </Stack>
  )
}
