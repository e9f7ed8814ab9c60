/** The companies that a partner's borrowers sell to and buy from. */
import type { Counterparty } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { words } from '../kit/format.ts'
import { usePageParams } from '../kit/page-query.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'business_name', label: 'Name' },
  { kind: 'one', name: 'selected_for_financing', label: 'Selected', options: ['true', 'false'] },
]

const COLUMNS: readonly Column<Counterparty>[] = [
  plain('name', 'Company', one => one.name),
  plain('identifier', 'Number', one => one.identifier),
  plain('relations', 'Relations', one => one.relation_types.map(words).join(', ')),
  amount('max', 'Limit', one => one.credit_limit.max_amount),
  amount('available', 'Left of it', one => one.credit_limit.available_amount),
  plain('why', 'Because', one => {
    const { max_amount_details: code } = one.credit_limit
    return code && words(code)
  }),
]

export function CounterpartiesPage() {
  const { partner } = usePageParams<'partner'>()
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Counterparties" />
      <Filters of={FILTERS} />
      <DataList
        name="Counterparties"
        partner={partner}
        columns={COLUMNS}
        queryKey={['counterparties', partner, query]}
        first={() => call('listCounterparties', { query, partner })}
        rowId={one => one.id}
        empty="No counterparties here. The buyer and the seller of an invoice become one with it."
      />
    </Stack>
  )
}
