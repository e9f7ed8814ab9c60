/** Where the lender's own people begin: how the business stands, and what waits for them. */
import type { Portfolio, PortfolioDay, Today } from '@headroom/contract'
import { Card, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../kit/api.ts'
import { Chart, type ChartProps, type Point } from '../kit/chart.tsx'
import { PageLink } from '../kit/columns.tsx'
import { Loaded, PageHead, Section } from '../kit/detail.tsx'
import { count, day, moment, money, month, percent, shortMoney, words } from '../kit/format.ts'

interface Work {
  readonly says: string
  readonly to: string
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
  SUSPENSE: { says: 'Money that nobody could attribute', to: '/desk/suspense' },
  PAYOUT_ISSUE: { says: 'Payouts that failed or came back', to: thing('PAYOUT_ISSUE') },
  KILL_SWITCH: { says: 'Switches that stop the business', to: '/desk/alarms' },
  ALERT: { says: 'Alerts', to: '/desk/alarms' },
}

const DAYS = 90

export function TodayPage() {
  const today = useQuery({ queryKey: ['today'], queryFn: () => call('getToday') })
  const portfolio = useQuery({
    queryKey: ['portfolio'],
    queryFn: () => call('getPortfolio', { query: { days: DAYS } }),
  })
  return (
    <Loaded of={today} title="Today">
      {({ business_date, work, ...figures }) => (
        <Stack>
          <PageHead title="Today" says={day(business_date)} />
          <div style={FIGURES}>
            <Figure label="Outstanding" value={money(figures.outstanding)} />
            <Figure label="Late" value={money(figures.late)} />
            <Figure label="Headroom" value={money(figures.available)} />
            <Figure label="Funding account" value={money(figures.funding)} />
            <Figure label="Loans running" value={count(figures.loans_running)} />
          </div>
          <Section title="What needs a person">
            <WorkTable work={work} />
          </Section>
          <Loaded of={portfolio}>{data => <Charts {...data} />}</Loaded>
        </Stack>
      )}
    </Loaded>
  )
}

/** As many beside each other as have room for their amounts. */
const FIGURES = {
  display: 'grid',
  gap: 'var(--mantine-spacing-md)',
  gridTemplateColumns: 'repeat(auto-fit, minmax(9.5rem, 1fr))',
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <Card withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
    </Card>
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
              <PageLink to={WORK[kind].to}>{WORK[kind].says}</PageLink>
            </Table.Td>
            <Table.Td ta="right">{count(waiting)}</Table.Td>
            <Table.Td>{moment(oldest_at)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const IN_MONEY = { write: money, writeShort: shortMoney } as const
const blue = 'indigo.6'
const green = 'teal.6'
const orange = 'orange.6'

/** What each chart draws of the days. */
const OVER_TIME: readonly Omit<ChartProps, 'points' | 'of'>[] = [
  {
    ...{ kind: 'area', title: 'Outstanding and headroom', ...IN_MONEY },
    series: [
      { name: 'outstanding', label: 'Outstanding', color: blue },
      { name: 'available', label: 'Headroom', color: green },
    ],
  },
  {
    ...{ kind: 'bar', title: 'Payouts and repayments', ...IN_MONEY },
    none: 'No money has moved.',
    series: [
      { name: 'paid_out', label: 'Paid out', color: blue },
      { name: 'repaid', label: 'Repaid', color: green },
    ],
  },
  {
    ...{ kind: 'area', title: 'Portfolio at risk', write: percent },
    none: 'No loan was late.',
    series: [{ name: 'at_risk', label: 'Late, of what is outstanding', color: orange }],
  },
]

function Charts({ days, aging }: Portfolio) {
  const points = useMemo(() => days.map(pointOf), [days])
  const months = useMemo(() => monthsOf(days), [days])
  const late = aging.map(({ bucket, principal }) => ({ at: words(bucket), principal }))
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      {OVER_TIME.map(chart => (
        <Section key={chart.title} title={`${chart.title}, ${DAYS} days`}>
          <Chart {...chart} points={points} of="End of" />
        </Section>
      ))}
      <Section title="Aging: late loans by days late">
        <Chart
          {...{ kind: 'bar', title: 'Aging', points: late, of: 'Days late', ...IN_MONEY }}
          none="No loan is late."
          series={[{ name: 'principal', label: 'Principal', color: orange }]}
        />
      </Section>
      <Section title="Interest earned, by month of booking">
        <Chart
          {...{ kind: 'bar', title: 'Interest earned', points: months, of: 'Month', ...IN_MONEY }}
          series={[{ name: 'interest_earned', label: 'Interest', color: green }]}
        />
      </Section>
    </SimpleGrid>
  )
}

function pointOf({ on, outstanding, available, paid_out, repaid, late }: PortfolioDay): Point {
  const at_risk = outstanding > 0 ? late / outstanding : 0
  return { at: day(on), outstanding, available, paid_out, repaid, at_risk }
}

function monthsOf(days: readonly PortfolioDay[]): Point[] {
  const months = Map.groupBy(days, ({ on }) => on.slice(0, 7))
  return [...months].map(([key, own]) => ({
    at: month(key),
    interest_earned: own.reduce((sum, one) => sum + one.interest_earned, 0),
  }))
}
