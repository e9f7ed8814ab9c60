/** Work items of one kind, each linked to the page where an operator decides it. */
import type { RESOURCE_WORK_KINDS, WorkItem } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { call } from '../kit/api.ts'
import { amount, momentOf, plain } from '../kit/columns.tsx'
import { type Column, DataList } from '../kit/data-list.tsx'
import { PageHead } from '../kit/detail.tsx'
import { PageLink } from '../kit/page-link.tsx'
import { usePageParams } from '../kit/page-query.ts'

type Kind = (typeof RESOURCE_WORK_KINDS)[number]

interface Waiting {
  readonly title: string
  readonly page: 'borrower' | 'invoice' | 'loan' | 'case' | 'bill'
  /** The tab in which the item is decided, if not the first. */
  readonly tab?: 'limit'
  readonly empty: string
}

const KINDS: Record<Kind, Waiting> = {
  KYB_REVIEW: {
    title: 'Companies to be reviewed',
    page: 'borrower',
    empty: 'No company waits for its review. One does from the day it signs.',
  },
  INVOICE_REVIEW: {
    title: 'Invoices to look at',
    page: 'invoice',
    empty: 'No invoice waits. Which do is set for each partner: none, doubtful ones, or all.',
  },
  LIMIT_PROPOSED: {
    title: 'Limits that somebody proposed',
    page: 'borrower',
    tab: 'limit',
    empty: 'No limit waits for a second person.',
  },
  WRITE_OFF_PROPOSED: {
    title: 'Write-offs that somebody proposed',
    page: 'loan',
    empty: 'No write-off waits for a second person.',
  },
  PAYOUT_ISSUE: {
    title: 'Payouts that failed or came back',
    page: 'loan',
    empty: 'Every payout has arrived. One that fails or comes back is paid again from here.',
  },
  CASE_ACTION: {
    title: 'Actions of recollection that are due',
    page: 'case',
    empty: 'No action is due. Each is planned in its case, for a day.',
  },
  BILL_UNSENT: {
    title: 'Bills that could not be mailed',
    page: 'bill',
    empty: 'Every bill was mailed. One that cannot be is released here before it is debited.',
  },
  BORROWER_WITHOUT_EMAIL: {
    title: 'Late borrowers without e-mail',
    page: 'borrower',
    empty: 'Every late borrower can be mailed. Contact others yourself, then clear the alert.',
  },
}

export function WorkPage() {
  const { kind } = usePageParams<'kind'>() as { kind: Kind }
  const { title, page, tab, empty } = KINDS[kind] ?? KINDS.KYB_REVIEW
  const columns: readonly Column<WorkItem>[] = [
    {
      id: 'subject',
      header: 'What',
      text: item => item.subject,
      cell: ({ subject, partner_id: partner, thing_id }) => (
        <PageLink
          to={`/p/$partner/${page}/$${page}`}
          params={{ partner, [page]: thing_id }}
          search={tab ? { tab } : {}}
        >
          {subject}
        </PageLink>
      ),
    },
    plain('partner', 'Partner', item => item.partner),
    amount('amount', 'Amount', item => item.amount),
    momentOf('since', 'Waits since', item => item.waits_since),
  ]
  return (
    <Stack>
      <PageHead title={title} />
      <DataList
        name={title}
        columns={columns}
        empty={empty}
        queryKey={['work', kind]}
        first={() => call('listWork', { query: { kind } })}
        rowId={item => item.id}
      />
    </Stack>
  )
}
