/** Money that nobody could attribute: matched by hand, undone, sent back, given up. */
import type { SuspenseItem } from '@headroom/contract'
import { Group, Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { statusesOf } from '../kit/machine.ts'
import { SuspenseActions } from './suspense-actions.tsx'

const FILTERS: readonly Filter[] = [
  { kind: 'one', name: 'status', label: 'Status', options: statusesOf('suspense') },
]

const COLUMNS: readonly Column<SuspenseItem>[] = [
  dayOf('value_on', 'Value date', item => item.value_on),
  amount('amount', 'Amount', item => item.amount),
  status(item => item.status),
  plain('from', 'From', item => [item.from_name, item.from_iban].filter(Boolean).join(', ')),
  plain('reference', 'Reference', item => item.reference),
  plain('reason', 'Why it waits', item => item.reason),
  {
    ...{ id: 'actions', header: 'What to do', text: () => '', acts: true },
    cell: item => (
      <Group gap="xs" wrap="nowrap">
        <SuspenseActions {...item} />
      </Group>
    ),
  },
]

export function SuspensePage() {
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead
        title="Suspense"
        says="Money that names nothing for certain waits here, and goes back after 30 days."
      />
      <Filters of={FILTERS} />
      <DataList
        {...{ name: 'Suspense', columns: COLUMNS }}
        queryKey={['suspense', query]}
        first={() => call('listSuspense', { query })}
        rowId={item => item.id}
        empty="Nothing waits: all money that came in has found what it pays."
      />
    </Stack>
  )
}
