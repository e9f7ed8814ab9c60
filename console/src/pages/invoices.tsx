/** All invoices of a partner. */
import type { Invoice } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { shortId } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'query', label: 'Search' },
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('invoice') },
  { kind: 'text', name: 'seller', label: 'Seller’s number' },
  { kind: 'text', name: 'buyer', label: 'Buyer’s number' },
  { kind: 'one', name: 'linked_to_loan', label: 'With a loan', options: ['true', 'false'] },
]

export function invoiceColumns(partner: string): readonly Column<Invoice>[] {
  return [
    {
      id: 'number',
      header: 'Invoice',
      text: one => one.invoice_number,
      cell: ({ id, invoice_number }) => (
        <PageLink to="/p/$partner/invoice/$invoice" params={{ partner, invoice: id }}>
          {invoice_number || shortId(id)}
        </PageLink>
      ),
    },
    status(one => one.status),
    plain('seller', 'Seller', one => one.seller?.name ?? one.seller?.identifier),
    plain('buyer', 'Buyer', one => one.buyer?.name ?? one.buyer?.identifier),
    amount('total', 'Total', one => one.total_amount),
    dayOf('issued_at', 'Issued', one => one.issued_at),
    dayOf('due_at', 'Due', one => one.due_at),
  ]
}

export function InvoicesPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Invoices" />
      <Filters of={FILTERS} />
      <DataList
        name="Invoices"
        partner={partner}
        columns={invoiceColumns(partner)}
        queryKey={['invoices', partner, query]}
        first={() => call('listInvoices', { query, partner })}
        rowId={one => one.id}
        empty="No invoices here. One comes with a loan, or beforehand, with its PDF."
      />
    </Stack>
  )
}
