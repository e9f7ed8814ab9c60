/** A partner's collections cases, each with its debtor and next action. */
import type { RecollectionCase } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { dayOf, momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { type Filter, Filters, useListQuery } from '../kit/filters.tsx'
import { count } from '../kit/format.ts'
import { statusesOf } from '../kit/machine.ts'
import { PageLink } from '../kit/page-link.tsx'

const route = getRouteApi('/p/$partner/cases')

const FILTERS: readonly Filter[] = [
  { kind: 'one', name: 'status', label: 'Status', options: statusesOf('recollection_case') },
  { kind: 'text', name: 'identifier', label: 'Debtor’s number' },
  {
    kind: 'days',
    label: 'Due',
    from: 'next_action_due_at_from',
    to: 'next_action_due_at_to',
  },
]

const debtorOf = ({ debtor_business: { name, identifier } }: RecollectionCase) => name ?? identifier

export function caseColumns(partner: string): readonly Column<RecollectionCase>[] {
  return [
    {
      id: 'debtor',
      header: 'Debtor',
      text: debtorOf,
      cell: one => (
        <PageLink to="/p/$partner/case/$case" params={{ partner, case: one.id }}>
          {debtorOf(one)}
        </PageLink>
      ),
    },
    plain('number', 'Number', one => one.debtor_business.identifier),
    status(one => one.status),
    plain('agent', 'Assigned to', one => one.agent),
    plain('next', 'Next action', one => one.next_action.action_name),
    dayOf('due_at', 'Due', one => one.next_action.due_at),
    { id: 'loans', header: 'Loans', text: one => count(one.loan_ids.length), numeric: true },
    { id: 'bills', header: 'Bills', text: one => count(one.bill_ids.length), numeric: true },
    momentOf('created_at', 'Open since', one => one.created_at),
  ]
}

export function CasesPage() {
  const { partner } = route.useParams()
  const query = useListQuery(FILTERS)
  return (
    <Stack>
      <PageHead title="Collections" info="Debtors that do not repay, and what is done about it" />
      <Filters of={FILTERS} />
      <DataList
        name="Collections cases"
        queryKey={['cases', partner, query]}
        first={() => call('listRecollectionCases', { query: query as object, partner })}
        partner={partner}
        columns={caseColumns(partner)}
        rowId={one => one.id}
        empty="No cases here. One opens by itself when a loan is late for 18 days."
      />
    </Stack>
  )
}
