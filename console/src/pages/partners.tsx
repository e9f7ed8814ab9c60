/** Whom the service lends through. */
import type { Partner } from '@headroom/contract'
import { Anchor, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { type Column, DataList } from '../kit/data-list.tsx'
import { moment, money, percent } from '../kit/format.ts'
import { Status } from '../kit/status.tsx'

const COLUMNS: readonly Column<Partner>[] = [
  {
    id: 'name',
    header: 'Partner',
    text: p => p.name,
    cell: p => (
      <Anchor
        renderRoot={props => <Link to="/p/$partner/loans" params={{ partner: p.id }} {...props} />}
      >
        {p.name}
      </Anchor>
    ),
  },
  { id: 'status', header: 'Status', text: p => p.status, cell: p => <Status value={p.status} /> },
  { id: 'exposure', header: 'Lent and reserved', text: p => money(p.exposure), numeric: true },
  { id: 'exposure_max', header: 'Ceiling', text: p => money(p.exposure_max), numeric: true },
  {
    id: 'used',
    header: 'Used',
    text: p => percent(p.exposure_max === 0 ? 0 : p.exposure / p.exposure_max),
    numeric: true,
  },
  { id: 'created_at', header: 'Since', text: p => moment(p.created_at) },
]

export function PartnersPage() {
  return (
    <Stack>
      <Title order={1}>Partners</Title>
      <DataList
        name="Partners"
        queryKey={['partners', 'list']}
        first={() => call('listPartners')}
        columns={COLUMNS}
        rowId={partner => partner.id}
        empty="No partners yet. Create one with the command partner create NAME."
      />
    </Stack>
  )
}
