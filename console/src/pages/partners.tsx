/** The partners whose borrowers the lender finances. */
import type { Partner } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, momentOf, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { percent } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'

const FILTERS: readonly Filter[] = [{ kind: 'text', name: 'query', label: 'Name or id' }]

const usedOf = ({ exposure, exposure_max }: Partner) =>
  exposure_max === 0 ? 0 : exposure / exposure_max

const COLUMNS: readonly Column<Partner>[] = [
  {
    id: 'name',
    header: 'Partner',
    text: p => p.name,
    cell: p => (
      <PageLink to="/p/$partner/loans" params={{ partner: p.id }}>
        {p.name}
      </PageLink>
    ),
  },
  status(p => p.status),
  amount('exposure', 'Lent and reserved', p => p.exposure),
  amount('exposure_max', 'Ceiling', p => p.exposure_max),
  {
    id: 'used',
    header: 'Used',
    numeric: true,
    text: p => percent(usedOf(p)),
    csv: p => usedOf(p).toFixed(4),
  },
  momentOf('created_at', 'Since', p => p.created_at),
]

export function PartnersPage() {
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Partners" info="Whom the service lends through" />
      <Filters of={FILTERS} />
      <DataList
        name="Partners"
        queryKey={['partners', 'list', query]}
        first={() => call('listPartners', { query })}
        columns={COLUMNS}
        rowId={partner => partner.id}
        empty="No partners here. One is created with the command partner create NAME."
      />
    </Stack>
  )
}
