/** Figures of the business: current totals, and charts. */
import type { Portfolio, PortfolioDay } from '@headroom/contract'
import { Card, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { call } from './api.ts'
import { Chart, type ChartProps, type Point } from './chart.tsx'
import { QueryResult, Section } from './detail.tsx'
import { count, day, money, month, percent, shortMoney, words } from './format.ts'
import { ProblemAlert } from './problem-alert.tsx'

const DAYS = 90

interface StandingProps {
  readonly partner_id?: string
  readonly children?: ReactNode
}

export function BusinessFigures({ partner_id, children }: StandingProps) {
  const { data, error } = useQuery({
    queryKey: ['standing', partner_id],
    queryFn: () => call('getStanding', { query: { partner_id } }),
  })
  return (
    <>
      {error && <ProblemAlert error={error} />}
      <div style={FIGURES}>
        <Figure label="Outstanding" value={data && money(data.outstanding)} />
        <Figure label="Late" value={data && money(data.late)} />
        <Figure label="Available credit" value={data && money(data.available)} />
        {children}
        <Figure label="Loans running" value={data && count(data.loans_running)} />
      </div>
    </>
  )
}

/** As many columns as fit, each wide enough for an amount. */
const FIGURES = {
  display: 'grid',
  gap: 'var(--mantine-spacing-md)',
  gridTemplateColumns: 'repeat(auto-fit, minmax(9.5rem, 1fr))',
}

interface FigureProps {
  readonly label: string
  /** Undefined while loading. */
  readonly value: string | undefined
}

export function Figure({ label, value }: FigureProps) {
  return (
    <Card withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {value ?? '…'}
      </Text>
    </Card>
  )
}

const IN_MONEY = { write: money, writeShort: shortMoney } as const
const blue = 'indigo.6'
const green = 'teal.6'
const orange = 'orange.6'

/** The charts with one point per day. */
const OVER_TIME: readonly Omit<ChartProps, 'points' | 'of'>[] = [
  {
    kind: 'area',
    title: 'Outstanding and available credit',
    ...IN_MONEY,
    series: [
      { name: 'outstanding', label: 'Outstanding', color: blue },
      { name: 'available', label: 'Available credit', color: green },
    ],
  },
  {
    kind: 'bar',
    title: 'Payouts and repayments',
    ...IN_MONEY,
    none: 'No money has moved.',
    series: [
      { name: 'paid_out', label: 'Paid out', color: blue },
      { name: 'repaid', label: 'Repaid', color: green },
    ],
  },
  {
    kind: 'area',
    title: 'Portfolio at risk',
    write: percent,
    none: 'No loan was late.',
    series: [{ name: 'at_risk', label: 'Late, of what is outstanding', color: orange }],
  },
]

export function Charts({ partner_id }: Pick<StandingProps, 'partner_id'>) {
  const portfolio = useQuery({
    queryKey: ['portfolio', partner_id],
    queryFn: () => call('getPortfolio', { query: { days: DAYS, partner_id } }),
  })
  return <QueryResult of={portfolio}>{data => <PortfolioCharts {...data} />}</QueryResult>
}

function PortfolioCharts({ days, aging }: Portfolio) {
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
          kind="bar"
          title="Aging"
          points={late}
          of="Days late"
          {...IN_MONEY}
          none="No loan is late."
          series={[{ name: 'principal', label: 'Principal', color: orange }]}
        />
      </Section>
      <Section title="Interest earned, by month of booking">
        <Chart
          kind="bar"
          title="Interest earned"
          points={months}
          of="Month"
          {...IN_MONEY}
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
