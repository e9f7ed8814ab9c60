/** The lender's bank accounts: what the books and the bank say that they hold. */
import type { BankAccount } from '@headroom/contract'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { amount, dayOf, plain } from '../kit/columns.tsx'
import type { Column } from '../kit/data-list.tsx'
import { PageHead, QueryResult } from '../kit/detail.tsx'
import { count, words } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { Rows } from '../kit/rows.tsx'
import { Status } from '../kit/status.tsx'

const COLUMNS: readonly Column<BankAccount>[] = [
  {
    id: 'iban',
    header: 'Account',
    text: one => one.iban,
    cell: ({ id, iban }) => (
      <PageLink to="/desk/bank-account/$account" params={{ account: id }}>
        {iban}
      </PageLink>
    ),
  },
  plain('roles', 'Used for', one => one.roles.map(words).join(', ')),
  amount('ledger_balance', 'In the books', one => one.ledger_balance),
  amount('bank_balance', 'At the bank', one => one.bank_balance),
  dayOf('bank_balance_on', 'Statement of', one => one.bank_balance_on),
  {
    id: 'tie_out',
    header: 'Tie-out',
    text: one => (one.tie_out ? words(one.tie_out) : '–'),
    cell: one => (one.tie_out ? <Status value={one.tie_out} /> : '–'),
  },
  plain('unbooked', 'News to book', one => count(one.unbooked)),
]

export function BankAccountsPage() {
  const accounts = useQuery({
    queryKey: ['bank-accounts'],
    queryFn: () => call('listBankAccounts'),
  })
  return (
    <Stack>
      <PageHead
        title="Bank accounts"
        info="Every banking day, cash in the books must equal the bank’s closing balance."
      />
      <QueryResult of={accounts}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No bank account is set up.</Text>
          ) : (
            <Rows label="Bank accounts" columns={COLUMNS} rows={data} rowId={one => one.id} csv />
          )
        }
      </QueryResult>
    </Stack>
  )
}
