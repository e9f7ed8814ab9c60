/** Every loan and bill of a case with what is owed of it today. */
import { Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { amount, dayOf, PageLink, status } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { money, shortId } from '../kit/format.ts'
import { Rows } from '../kit/rows.tsx'
import type { CaseProps } from './case.tsx'

interface Owing {
  readonly id: string
  readonly what: 'Loan' | 'Bill'
  readonly status: string
  readonly owed: number
  readonly due: string | null
}

export function Owed({ of, partner }: CaseProps) {
  const loans = useQueries({
    queries: of.loan_ids.map(loan_id => ({
      queryKey: ['loan-owed', loan_id],
      queryFn: async (): Promise<Owing> => {
        const [loan, payoff] = await Promise.all([
          call('getLoan', { params: { loan_id }, partner }),
          call('getLoanPayoff', { params: { loan_id }, partner }).catch(() => null),
        ])
        const owed = payoff ? payoff.principal + payoff.interest : 0
        return { id: loan_id, what: 'Loan', status: loan.status, owed, due: loan.to_repay_at }
      },
    })),
  })
  const bills = useQuery({
    queryKey: ['bills', of.id, of.bill_ids],
    queryFn: () => call('listBills', { query: { bill_id: of.bill_ids }, partner }),
    enabled: of.bill_ids.length > 0,
  })
  const rows: Owing[] = [
    ...loans.flatMap(({ data }) => data ?? []),
    ...(bills.data?.data ?? []).map(({ id, status, to_pay_amount, due_date }) => ({
      ...{ id, what: 'Bill' as const, status, owed: to_pay_amount, due: due_date },
    })),
  ]
  const total = rows.reduce((sum, row) => sum + row.owed, 0)
  return (
    <>
      <Rows columns={owedColumns(partner)} rows={rows} rowId={row => row.id} label="What is owed" />
      <Text>In all {money(total)} owed today.</Text>
    </>
  )
}

function owedColumns(partner: string): readonly Column<Owing>[] {
  return [
    {
      ...{ id: 'what', header: 'What', text: row => `${row.what} ${row.id}` },
      cell: ({ what, id }) =>
        what === 'Loan' ? (
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
    dayOf('due', 'Due', row => row.due),
    amount('owed', 'Owed today', row => row.owed),
  ]
}
