/**
 * A chart, with a table of the same values for screen readers. The chart library loads on demand.
 */
import { Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import type { Column } from './data-list.tsx'
import { Rows } from './rows.tsx'

export interface Series {
  readonly name: string
  readonly label: string
  readonly color: string
}

/** One point or bar: its label, and the value of each series by the series' name. */
export type Point = { readonly at: string } & Readonly<Record<string, number | string | null>>

export interface ChartProps {
  readonly kind: 'area' | 'bar'
  readonly title: string
  readonly points: readonly Point[]
  readonly series: readonly Series[]
  /** Formats a value in full. The axis uses `writeShort`, if given. */
  readonly write: (value: number) => string
  readonly writeShort?: (value: number) => string
  readonly stacked?: true
  /** Shown instead of the chart if all values are zero or missing. */
  readonly none?: string
  /** The header of the table's first column. */
  readonly of: string
}

export const CHART_HEIGHT = 220
const Drawing = lazy(() => import('./chart-drawing.tsx'))

export function Chart(props: ChartProps) {
  const { title, points, series, write, of, none = 'Nothing to draw yet.' } = props
  const columns = useMemo<Column<Point>[]>(
    () => [
      { id: 'at', header: of, text: point => point.at },
      ...series.map(({ name, label }) => ({
        id: name,
        header: label,
        numeric: true as const,
        text: (point: Point) => (point[name] == null ? '–' : write(Number(point[name]))),
      })),
    ],
    [series, write, of],
  )
  const flat = points.every(point => series.every(({ name }) => !point[name]))
  if (flat) return <Text c="dimmed">{none}</Text>
  return (
    <Stack gap={4}>
      <div aria-hidden>
        <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
          <Drawing {...props} />
        </Suspense>
      </div>
      <details>
        <Text component="summary" size="sm">
          As a table
        </Text>
        <Rows columns={columns} rows={[...points]} rowId={point => point.at} label={title} />
      </details>
    </Stack>
  )
}
