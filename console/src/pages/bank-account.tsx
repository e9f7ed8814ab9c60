/** One bank account: its days with the tie-out, and its statements. */
import type { BankAccount, BankStatement, TieOut } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Action } from '../kit/action.tsx'
import { call } from '../kit/api.ts'
import { amount, dayOf, momentOf, plain, status } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { Facts, PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { cents, count, day, money, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

const DAYS: readonly Column<TieOut>[] = [
  {
    id: 'day',
    header: 'Day',
    text: one => day(one.day),
    csv: one => one.day,
    short: true,
    cell: one => (
      <PageLink to="/desk/tie-out/$day" params={{ day: one.id }}>
        {day(one.day)}
      </PageLink>
    ),
  },
  status(one => one.result, 'Tie-out'),
  amount('ledger', 'In the books', one => one.ledger),
  amount('closing', 'At the bank', one => one.closing),
  amount('difference', 'Difference', one => one.difference),
  momentOf('checked_at', 'Compared', one => one.checked_at),
]

const STATEMENTS: readonly Column<BankStatement>[] = [
  plain('statement_id', 'Statement', one => one.statement_id),
  plain('sequence', 'Number', one => String(one.sequence)),
  dayOf('from_on', 'From', one => one.from_on),
  dayOf('to_on', 'To', one => one.to_on),
  amount('opening', 'Opening', one => one.opening),
  amount('closing', 'Closing', one => one.closing),
  plain('entries', 'Entries', one => count(one.entries)),
  status(one => one.status),
  plain('refused_for', 'Refused because', one => one.refused_for),
]

export function BankAccountPage() {
  const { account } = usePageParams<'account'>()
  const params = { bank_account_id: account }
  const accounts = useQuery({
    queryKey: ['bank-accounts'],
    queryFn: () => call('listBankAccounts'),
  })
  return (
    <QueryResult of={accounts} title="Bank account">
      {({ data }) => {
        const found = data.find(one => one.id === account)
        if (!found) return <PageHead title="There is no such bank account" />
        return (
          <Stack>
            <Head {...found} />
            <Section title="Days">
              <DataList
                name="Days"
                columns={DAYS}
                queryKey={['tie-outs', account]}
                first={() => call('listTieOuts', { params })}
                rowId={one => one.id}
                empty="No day yet. Each statement has its last day compared with the books."
              />
            </Section>
            <Section title="Statements">
              <DataList
                name="Statements"
                columns={STATEMENTS}
                queryKey={['bank-statements', account]}
                first={() => call('listBankStatements', { params })}
                rowId={one => one.id}
                empty="The bank has sent no statement yet."
              />
            </Section>
          </Stack>
        )
      }}
    </QueryResult>
  )
}

function Head(account: BankAccount) {
  const { iban, roles, ledger_balance, bank_balance, bank_balance_on, unbooked } = account
  const { opening_balance, opened_on } = account
  return (
    <>
      <PageHead
        title={iban}
        status={account.tie_out ?? undefined}
        info={roles.map(words).join(', ')}
        actions={<OpeningBalance {...account} />}
      />
      <Facts
        of={[
          ['In the books', money(ledger_balance)],
          ['At the bank', bank_balance_on && `${money(bank_balance)} on ${day(bank_balance_on)}`],
          ['News to book', count(unbooked)],
          ['Opening balance', opened_on && `${money(opening_balance)} on ${day(opened_on)}`],
        ]}
      />
    </>
  )
}

function OpeningBalance({ id, opened_on }: BankAccount) {
  return (
    <Action
      label="Enter opening balance"
      disabledReason={opened_on && 'The account has an opening balance.'}
      info="For an account taken over with money on it: what it held before its first statement."
      fields={[
        { name: 'amount', label: 'Balance', kind: 'amount' },
        { name: 'date', label: 'At the end of', kind: 'day' },
      ]}
      run={({ amount: typed = '', date = '' }) =>
        call('setOpeningBalance', {
          params: { bank_account_id: id },
          body: { amount: cents(typed) ?? 0, date },
        })
      }
      done="The opening balance is booked."
    />
  )
}
