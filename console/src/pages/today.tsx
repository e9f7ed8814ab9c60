/**
 * The start page of the lender's operators: what needs attention, and the state of the business.
 */
import type { Today } from '@headroom/contract'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { BusinessFigures, Charts, Figure } from '../kit/business-figures.tsx'
import { PageHead, QueryResult, Section } from '../kit/detail.tsx'
import { day, money } from '../kit/format.ts'
import { type Work, WorkTable } from './work-table.tsx'

const workPath = (kind: string) => `/desk/waiting/${kind}`
const WORK: Record<Today['work'][number]['kind'], Work> = {
  KYB_REVIEW: { info: 'Companies to be reviewed', to: workPath('KYB_REVIEW') },
  COMPANY_CHECK: { info: 'Companies to check', to: '/desk/companies' },
  DECISION: { info: 'Decisions of agents to approve or reject', to: '/desk/decisions' },
  INVOICE_REVIEW: { info: 'Invoices to look at', to: workPath('INVOICE_REVIEW') },
  LIMIT_PROPOSED: { info: 'Limits that somebody proposed', to: workPath('LIMIT_PROPOSED') },
  WRITE_OFF_PROPOSED: {
    info: 'Write-offs that somebody proposed',
    to: workPath('WRITE_OFF_PROPOSED'),
  },
  SUSPENSE: {
    info: 'Unmatched payments',
    to: '/desk/suspense',
    search: { status: 'OPEN' },
  },
  LOSS_PROPOSED: {
    info: 'Money that somebody gives up for lost',
    to: '/desk/suspense',
    search: { status: 'LOSS_PROPOSED' },
  },
  PAYOUT_ISSUE: { info: 'Payouts that failed or came back', to: workPath('PAYOUT_ISSUE') },
  CASE_ACTION: { info: 'Actions of recollection that are due', to: workPath('CASE_ACTION') },
  BILL_UNSENT: { info: 'Bills that could not be mailed', to: workPath('BILL_UNSENT') },
  BORROWER_WITHOUT_EMAIL: {
    info: 'Late borrowers without e-mail',
    to: workPath('BORROWER_WITHOUT_EMAIL'),
  },
  KILL_SWITCH: { info: 'Switches that stop the business', to: '/desk/alarms' },
  ALERT: { info: 'Alerts', to: '/desk/alarms' },
}

export function TodayPage() {
  const today = useQuery({ queryKey: ['today'], queryFn: () => call('getToday') })
  return (
    <QueryResult of={today} title="Today">
      {({ business_date, work, funding }) => (
        <Stack>
          <PageHead title="Today" info={day(business_date)} />
          <BusinessFigures>
            <Figure label="Funding account" value={money(funding)} />
          </BusinessFigures>
          <Section title="Needs attention">
            <WorkTable of={work.map(({ kind, ...found }) => ({ ...WORK[kind], ...found }))} />
          </Section>
          <Charts />
        </Stack>
      )}
    </QueryResult>
  )
}
