/** One day of a bank account: books and bank, and the entries that explain a difference. */
import type { BankLine, TieOutDetails } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { amount, dayOf, idOf, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { Facts, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { count, day, money, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'
import { Rows } from '../kit/rows.tsx'

const LINES: readonly Column<BankLine>[] = [
  dayOf('booked_on', 'Booked', one => one.booked_on),
  dayOf('value_on', 'Value date', one => one.value_on),
  plain('kind', 'Kind', one => words(one.kind)),
  amount('moved', 'Amount', one => one.moved),
  plain('text', 'Reference', one => one.text),
  idOf('payment_id', 'Payment', one => one.payment_id),
  plain('outcome', 'Outcome', one => one.outcome ?? 'Not booked yet'),
]

export function TieOutPage() {
  const { day: tie_out_id } = usePageParams<'day'>()
  const found = useQuery({
    queryKey: ['tie-out', tie_out_id],
    queryFn: () => call('getTieOut', { params: { tie_out_id } }),
  })
  return (
    <QueryResult of={found} title="Tie-out">
      {of => (
        <Stack>
          <PageHead
            title={`Tie-out of ${day(of.day)}`}
            status={of.result}
            info={
              <PageLink to="/desk/bank-account/$account" params={{ account: of.bank_account_id }}>
                {of.iban}
              </PageLink>
            }
          />
          <Facts of={factsOf(of)} />
          {of.result !== 'TIED' && (
            <>
              <Lines
                title="In the books, on no statement"
                of={of.in_books_only}
                none="All cash in the books is on a statement."
              />
              <Lines
                title="On a statement, not booked so"
                of={of.at_bank_only}
                none="All entries are booked as the bank has them."
              />
            </>
          )}
          <Lines title="Entries of the statement" of={of.entries} none="Nothing moved." />
        </Stack>
      )}
    </QueryResult>
  )
}

function factsOf({ ledger, closing, difference, statement }: TieOutDetails) {
  return [
    ['In the books', money(ledger)],
    ['At the bank', money(closing)],
    ['Difference', money(difference)],
    ['Statement', statement.statement_id],
    ['Period', `${day(statement.from_on)} – ${day(statement.to_on)}`],
    ['Opening balance', money(statement.opening)],
  ] as const
}

interface LinesProps {
  readonly title: string
  readonly of: TieOutDetails['entries']
  readonly none: string
}

function Lines({ title, of: { data, total }, none }: LinesProps) {
  return (
    <Section title={title}>
      {total === 0 ? (
        <Text c="dimmed">{none}</Text>
      ) : (
        <>
          {total > data.length && (
            <Text size="sm" c="dimmed">
              {count(data.length)} shown of {count(total)}
            </Text>
          )}
          <Rows label={title} columns={LINES} rows={data} rowId={one => one.bank_reference} csv />
        </>
      )}
    </Section>
  )
}
