/** The loans and bills of a case, with the amount owed on each today. */
import type { CaseDebts } from '@headroom/contract'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { amount, dayOf, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { QueryResult } from '../kit/detail.tsx'
import { money, shortId } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { Rows } from '../kit/rows.tsx'
import type { CaseProps } from './case.tsx'

type Owing = CaseDebts['debts'][number]

function useDebts({ of: { id: recollection_case_id }, partner }: CaseProps) {
  return useQuery({
    queryKey: ['case-debts', recollection_case_id],
    queryFn: () => call('getRecollectionCaseDebts', { params: { recollection_case_id }, partner }),
  })
}

export function TotalOwed(props: CaseProps & { children: (total: string) => string }) {
  return (
    <QueryResult of={useDebts(props)}>{({ total }) => props.children(money(total))}</QueryResult>
  )
}

export function DebtTable(props: CaseProps) {
  const { partner } = props
  return (
    <QueryResult of={useDebts(props)}>
      {({ debts, total }) => (
        <>
          <Rows
            columns={owedColumns(partner)}
            rows={debts}
            rowId={row => row.id}
            label="What is owed"
            csv
          />
          <Text>In all {money(total)} owed today.</Text>
        </>
      )}
    </QueryResult>
  )
}

function owedColumns(partner: string): readonly Column<Owing>[] {
  return [
    {
      id: 'what',
      header: 'What',
      text: row => `${row.type} ${row.id}`,
      cell: ({ type, id }) =>
        type === 'LOAN' ? (
          <PageLink to="/p/$partner/loan/$loan" params={{ partner, loan: id }}>
            Loan {shortId(id)}
          </PageLink>
        ) : (
          <PageLink to="/p/$partner/bill/$bill" params={{ partner, bill: id }}>
            Bill {shortId(id)}
          </PageLink>
        ),
    },
    status(row => row.status),
    dayOf('due', 'Due', row => row.due_at),
    amount('owed', 'Owed today', row => row.owed),
  ]
}
