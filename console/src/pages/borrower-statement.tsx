/** A borrower's statement for a period: balances, movements on its loans, and fees. */
import type { BorrowerStatement as Statement } from '@headroom/contract'
import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../kit/api.ts'
import { plusDays, useBusinessDate } from '../kit/business-date.ts'
import { amount, dayOf, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { QueryResult } from '../kit/detail.tsx'
import { money, words } from '../kit/format.ts'
import { Rows } from '../kit/rows.tsx'

type Movement = Statement['movements'][number]

const COLUMNS: readonly Column<Movement>[] = [
  dayOf('value_date', 'Value date', row => row.value_date),
  plain('kind', 'What', row => words(row.kind)),
  plain('loan', 'Loan', row => row.loan_reference),
  amount('amount', 'Amount', row => row.amount),
  amount('principal', 'Principal', row => row.principal),
  amount('interest', 'Interest', row => row.interest),
  amount('fee', 'Fees', row => row.fee),
  amount('balance', 'Balance', row => row.balance),
]

type Fee = Statement['fees'][number]

const FEE_COLUMNS: readonly Column<Fee>[] = [
  plain('month', 'Month', row => row.month.slice(0, 7)),
  dayOf('due_date', 'Due', row => row.due_date),
  amount('amount', 'Amount', row => row.amount),
  amount('open_amount', 'Open', row => row.open_amount),
  plain('reference', 'Reference of a transfer', row => row.reference ?? ''),
]

const DAYS = 90

interface Of {
  readonly partner: string
  readonly borrower_id: string
}

export function BorrowerStatement({ partner, borrower_id }: Of) {
  const today = useBusinessDate(partner)
  const [chosen, choose] = useState<{ from?: string; to?: string }>({})
  const from = chosen.from ?? (today ? plusDays(today, -DAYS) : '')
  const to = chosen.to ?? today ?? ''
  const statement = useQuery({
    queryKey: ['statement', borrower_id, from, to],
    queryFn: () =>
      call('getBorrowerStatement', { params: { borrower_id }, query: { from, to }, partner }),
    enabled: from !== '' && to !== '',
  })
  return (
    <Stack>
      <Group align="end">
        <TextInput
          type="date"
          label="From"
          value={from}
          onChange={({ currentTarget }) => choose({ ...chosen, from: currentTarget.value })}
        />
        <TextInput
          type="date"
          label="To"
          value={to}
          onChange={({ currentTarget }) => choose({ ...chosen, to: currentTarget.value })}
        />
      </Group>
      <QueryResult of={statement}>
        {({ movements, fees, opening_balance: before, closing_balance: after, ...sums }) => (
          <>
            <Text>
              It owed {money(before)} before, and owes {money(after)} after.
            </Text>
            <Text>
              Interest not billed yet: {money(sums.unbilled_interest)}. Payoff amount:{' '}
              {money(sums.payoff_balance)}.
            </Text>
            {movements.length === 0 ? (
              <Text c="dimmed">Nothing moved in this time.</Text>
            ) : (
              <Rows
                label="Statement"
                columns={COLUMNS}
                rows={movements}
                csv
                rowId={row => `${row.id} ${row.kind}`}
              />
            )}
            {fees.length > 0 && (
              <Rows
                label="Monthly fees"
                columns={FEE_COLUMNS}
                rows={fees}
                rowId={row => `${row.subscription_id} ${row.month}`}
              />
            )}
          </>
        )}
      </QueryResult>
    </Stack>
  )
}
