/** Unmatched payments, and the actions that resolve them. */
import type { SuspenseItem } from '@headroom/contract'
import { Group, Stack } from '@mantine/core'
import { call, type Input } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { paidBy, SuspenseActions } from './suspense-actions.tsx'

/** Statuses that need attention, listed by default. */
const WAITING = ['OPEN', 'LOSS_PROPOSED']

const FILTERS: readonly Filter[] = [
  {
    kind: 'many',
    name: 'status',
    label: 'Status',
    options: statusesOf('suspense'),
    unset: 'What waits',
  },
]

const COLUMNS: readonly Column<SuspenseItem>[] = [
  dayOf('value_on', 'Value date', item => item.value_on),
  amount('amount', 'Amount', item => item.amount),
  status(item => item.status),
  plain('from', 'From', item => [item.from_name, item.from_iban].filter(Boolean).join(', ')),
  plain('reference', 'Reference', item => item.reference),
  plain('reason', 'Why it waits', item =>
    item.loss_reason
      ? `${item.reason}; ${item.loss_proposed_by} gives it up: ${item.loss_reason}`
      : item.reason,
  ),
  dayOf('goes_back_at', 'Goes back', item => item.goes_back_at),
  {
    id: 'pays',
    header: 'Pays',
    text: item => paidBy(item) ?? '–',
    cell: item => <PaidTarget {...item} />,
  },
  {
    id: 'actions',
    header: 'What to do',
    text: () => '',
    acts: true,
    cell: item => (
      <Group gap="xs" wrap="nowrap">
        <SuspenseActions {...item} />
      </Group>
    ),
  },
]

function PaidTarget(item: SuspenseItem) {
  const info = paidBy(item)
  if (!item.pays) return '–'
  const { kind, id, partner_id: partner, case_id } = item.pays
  const [page, place] = kind === 'installment' ? ['case', case_id] : [kind, id]
  if (page === 'fee' || !place) return info
  return (
    <PageLink to={`/p/$partner/${page}/$${page}`} params={{ partner, [page]: place }}>
      {info}
    </PageLink>
  )
}

export function SuspensePage() {
  const chosen = useListQuery(FILTERS)
  const query = { status: WAITING, ...chosen } as Input<'listSuspense'>['query']
  return (
    <Stack>
      <PageHead
        title="Suspense"
        info="Money that names nothing for certain waits here, and goes back after 30 days."
      />
      <Filters of={FILTERS} />
      <DataList
        name="Suspense"
        columns={COLUMNS}
        queryKey={['suspense', query]}
        first={() => call('listSuspense', { query })}
        rowId={item => item.id}
        empty="Nothing here: all money that came in has found what it pays."
      />
    </Stack>
  )
}
