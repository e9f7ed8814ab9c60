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

const thing = (kind: string) => `/desk/waiting/${kind}`
const WORK: Record<Today['work'][number]['kind'], Work> = {
  KYB_REVIEW: { says: 'Companies to be reviewed', to: thing('KYB_REVIEW') },
  DECISION: { says: 'Decisions of agents to approve or reject', to: '/desk/decisions' },
  INVOICE_REVIEW: { says: 'Invoices to look at', to: thing('INVOICE_REVIEW') },
  LIMIT_PROPOSED: { says: 'Limits that somebody proposed', to: thing('LIMIT_PROPOSED') },
  WRITE_OFF_PROPOSED: {
    says: 'Write-offs that somebody proposed',
    to: thing('WRITE_OFF_PROPOSED'),
  },
  SUSPENSE: {
    says: 'Unmatched payments',
    to: '/desk/suspense',
    search: { status: 'OPEN' },
  },
  LOSS_PROPOSED: {
    says: 'Money that somebody gives up for lost',
    to: '/desk/suspense',
    search: { status: 'LOSS_PROPOSED' },
  },
  PAYOUT_ISSUE: { says: 'Payouts that failed or came back', to: thing('PAYOUT_ISSUE') },
  CASE_ACTION: { says: 'Actions of recollection that are due', to: thing('CASE_ACTION') },
  BILL_UNSENT: { says: 'Bills that could not be mailed', to: thing('BILL_UNSENT') },
  BORROWER_WITHOUT_EMAIL: {
    says: 'Late borrowers without e-mail',
    to: thing('BORROWER_WITHOUT_EMAIL'),
  },
  KILL_SWITCH: { says: 'Switches that stop the business', to: '/desk/alarms' },
  ALERT: { says: 'Alerts', to: '/desk/alarms' },
}

export function TodayPage() {
  const today = useQuery({ queryKey: ['today'], queryFn: () => call('getToday') })
  return (
    <QueryResult of={today} title="Today">
      {({ business_date, work, funding }) => (
        <Stack>
          <PageHead title="Today" says={day(business_date)} />
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
