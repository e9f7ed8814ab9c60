/** A partner's bills and credit notes. */
import type { Bill } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { shortId, words } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'many', name: 'status', label: 'Status', options: statusesOf('bill') },
  { kind: 'one', name: 'kind', label: 'Kind', options: ['BILL', 'CREDIT_NOTE'] },
  { kind: 'text', name: 'business_identifier', label: 'Payer’s number' },
  { kind: 'days', label: 'Period', from: 'start_date', to: 'end_date' },
]

export const payerOf = ({ billed_business: { name, identifier } }: Bill) => name ?? identifier

export function billColumns(partner: string): readonly Column<Bill>[] {
  return [
    {
      id: 'number',
      header: 'Bill',
      text: bill => bill.invoice_number ?? shortId(bill.id),
      short: true,
      cell: ({ id, invoice_number }) => (
        <PageLink to="/p/$partner/bill/$bill" params={{ partner, bill: id }}>
          {invoice_number ?? shortId(id)}
        </PageLink>
      ),
    },
    plain('kind', 'Kind', bill => words(bill.kind)),
    status(bill => bill.status),
    plain('payer', 'Payer', payerOf),
    plain('payer_number', 'Number', bill => bill.billed_business.identifier),
    dayOf('from', 'From', bill => bill.start_date),
    dayOf('to', 'To', bill => bill.end_date),
    dayOf('due', 'Due', bill => bill.due_date),
    amount('amount', 'Amount', bill => bill.total_amount),
    amount('open', 'Still owed', bill => bill.open_amount),
    amount('paid', 'Paid', bill => bill.paid_amount),
    amount('lapsed', 'Lapsed', bill => bill.lapsed_amount),
  ]
}

export function BillsPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  const light = { ...query, light_bills: 'true' as const }
  return (
    <Stack>
      <PageHead title="Bills" />
      <Filters of={FILTERS} />
      <DataList
        name="Bills"
        partner={partner}
        columns={billColumns(partner)}
        queryKey={['bills', partner, query]}
        first={() => call('listBills', { query: light, partner })}
        rowId={bill => bill.id}
        empty="No bills here. Each payer gets one on the 1st, of the interest of the month before."
      />
    </Stack>
  )
}
