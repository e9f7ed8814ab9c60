/** Where the lender's own people begin: what waits for them, and how the business stands. */
import type { Today } from '@headroom/contract'
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../kit/api.ts'
import { Loaded, PageHead, Section } from '../kit/detail.tsx'
import { count, day, moment, money } from '../kit/format.ts'
import { PageLink } from '../kit/page-link.tsx'
import { Charts, Figure, Standing } from '../kit/standing.tsx'

interface Work {
  readonly says: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

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
    ...{ says: 'Money that nobody could attribute', to: '/desk/suspense' },
    search: { status: 'OPEN' },
  },
  LOSS_PROPOSED: {
    ...{ says: 'Money that somebody gives up for lost', to: '/desk/suspense' },
    search: { status: 'LOSS_PROPOSED' },
  },
  PAYOUT_ISSUE: { says: 'Payouts that failed or came back', to: thing('PAYOUT_ISSUE') },
  KILL_SWITCH: { says: 'Switches that stop the business', to: '/desk/alarms' },
  ALERT: { says: 'Alerts', to: '/desk/alarms' },
}

export function TodayPage() {
  const today = useQuery({ queryKey: ['today'], queryFn: () => call('getToday') })
  return (
    <Loaded of={today} title="Today">
      {({ business_date, work, funding }) => (
        <Stack>
          <PageHead title="Today" says={day(business_date)} />
          <Standing>
            <Figure label="Funding account" value={money(funding)} />
          </Standing>
          <Section title="What needs a person">
            <WorkTable work={work} />
          </Section>
          <Charts />
        </Stack>
      )}
    </Loaded>
  )
}

function WorkTable({ work }: Pick<Today, 'work'>) {
  if (work.length === 0) {
    return (
      <Text c="dimmed">Nothing waits. What needs a decision of yours will be listed here.</Text>
    )
  }
  return (
    <Table aria-label="What needs a person">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">What</Table.Th>
          <Table.Th scope="col" ta="right">
            Waiting
          </Table.Th>
          <Table.Th scope="col">Since</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {work.map(({ kind, waiting, oldest_at }) => (
          <Table.Tr key={kind}>
            <Table.Td>
              <PageLink to={WORK[kind].to} search={WORK[kind].search ?? {}}>
                {WORK[kind].says}
              </PageLink>
            </Table.Td>
            <Table.Td ta="right">{count(waiting)}</Table.Td>
            <Table.Td>{moment(oldest_at)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
