/** Measures `npm start` on an empty folder and on a used one. */
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { dataFolder, startService } from '../service.ts'

export async function measureStarts({ repetitions }: Options): Promise<Row[]> {
  const first: number[] = []
  const later: number[] = []
  for (let n = 0; n < repetitions; n++) {
    const folder = dataFolder()
    try {
      for (const times of [first, later]) {
        const service = await startService(folder.path, 'npm_start')
        times.push(service.seconds_to_ready)
        await service.stop()
      }
    } finally {
      folder.remove()
    }
  }
  const row = (work: string, times: number[], first_bar: number, goal: number): Row => ({
    work,
    value: median(times),
    unit: 's',
    better: 'less',
    first_bar,
    goal,
    text: `to the first answer of /readyz: ${times.map(t => t.toFixed(2)).join(', ')}`,
    details: { seconds: times },
  })
  return [row('start on an empty folder', first, 8, 3), row('start on a used folder', later, 3, 1)]
}
