/** All borrowers of a partner. */
import type { Borrower } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'query', label: 'Name or number' },
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('borrower') },
  { kind: 'many', name: 'compliance_status', label: 'KYB', options: statusesOf('compliance') },
  { kind: 'days', label: 'Signed', from: 'from_signed_at', to: 'to_signed_at' },
]

export function BorrowersPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  const columns: readonly Column<Borrower>[] = [
    {
      id: 'name',
      header: 'Company',
      text: b => b.name ?? b.identifier,
      cell: ({ id, name, identifier }) => (
        <PageLink to="/p/$partner/borrower/$borrower" params={{ partner, borrower: id }}>
          {name ?? identifier}
        </PageLink>
      ),
    },
    plain('identifier', 'Number', b => b.identifier),
    status(b => b.status),
    status(b => b.compliance_checks.status, 'KYB'),
    momentOf('signed_at', 'Signed', b => b.signed_at),
  ]
  return (
    <Stack>
      <PageHead title="Borrowers" />
      <Filters of={FILTERS} />
      <DataList
        name="Borrowers"
        partner={partner}
        columns={columns}
        queryKey={['borrowers', partner, query]}
        first={() => call('listBorrowers', { query, partner })}
        rowId={b => b.id}
        empty="No borrowers here. Invite a company to onboard, or create one by POST /borrowers."
      />
    </Stack>
  )
}
