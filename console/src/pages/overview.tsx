/** A partner's start page: what needs attention, and the figures of its business. */
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { call } from '../kit/api.ts'
import { plusDays, useBusinessDate } from '../kit/business-date.ts'
import { BusinessFigures, Charts } from '../kit/business-figures.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { type WorkCount, WorkTable } from './work-table.tsx'

export function OverviewPage() {
  const { partner } = useParams({ from: '/p/$partner/overview' })
  const today = useBusinessDate(partner)
  const work = useQuery({
    queryKey: ['partner-work', partner, today],
    queryFn: () => readWork(partner, today!),
    enabled: today !== undefined,
  })
  return (
    <Stack>
      <PageHead title="Overview" info="How the business of this partner stands" />
      <BusinessFigures partner_id={partner} />
      <Section title="Needs attention">
        <QueryResult of={work}>{of => <WorkTable of={of} />}</QueryResult>
      </Section>
      <Charts partner_id={partner} />
    </Stack>
  )
}

/** Only the count is needed, not the rows. */
const COUNTED = { page_size: 1 }

/** Counts the work that needs attention today, by kind. Omits kinds without work. */
async function readWork(partner: string, today: string): Promise<WorkCount[]> {
  const due = { status: 'OPEN', next_action_due_at_to: plusDays(today, 1) } as const
  const [decisions, loans, invoices, cases] = await Promise.all([
    call('listDecisions', { query: { ...COUNTED, status: ['PROPOSED'] }, partner }),
    call('listLoans', { query: { ...COUNTED, status: ['TO_VALIDATE'] }, partner }),
    call('listInvoices', { query: { ...COUNTED, status: ['TO_EDIT'] }, partner }),
    call('listRecollectionCases', { query: { ...COUNTED, ...due }, partner }),
  ])
  const kind = (
    info: string,
    page: string,
    search: Readonly<Record<string, string>>,
    { total, count }: { total: number | null; count: number },
  ) =>
    count > 0
      ? [{ info, to: `/p/$partner/${page}`, params: { partner }, search, waiting: total }]
      : []
  return [
    ...kind('Decisions to approve or reject', 'decisions', { status: 'PROPOSED' }, decisions),
    ...kind('Loans to validate', 'loans', { status: 'TO_VALIDATE' }, loans),
    ...kind('Invoices to correct', 'invoices', { status: 'TO_EDIT' }, invoices),
    ...kind('Cases of recollection with an action that is due', 'cases', due, cases),
  ]
}
