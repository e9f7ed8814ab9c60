/** Draws charts. The chart library is large, so it loads only on pages that show a chart. */
import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import { CHART_HEIGHT, type ChartProps } from './chart.tsx'

/** Turns off the accessibility layer: `Chart` renders a table for screen readers. */
const WITHOUT_KEYBOARD = { accessibilityLayer: false }

export default function Drawing(props: ChartProps) {
  const { kind, points, series, write, writeShort = write, stacked } = props
  const shared = {
    h: CHART_HEIGHT,
    data: points.map(point => ({ ...point })),
    dataKey: 'at',
    series: [...series],
    valueFormatter: (value: number) => write(value),
    yAxisProps: { width: 64, tickFormatter: (value: number) => writeShort(value) },
    withLegend: series.length > 1,
    ...(stacked && { type: 'stacked' as const }),
  }
  if (kind === 'bar') return <BarChart {...shared} barChartProps={WITHOUT_KEYBOARD} />
  return (
    <AreaChart
      {...shared}
      areaChartProps={WITHOUT_KEYBOARD}
      withDots={false}
      curveType="monotone"
    />
  )
}
