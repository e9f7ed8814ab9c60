/**
 * Measures the service's speed, where possible against limits measured in the same run:
 * `npm run bench`. docs/performance.md explains the figures.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { type Options, readOptions } from './options.ts'
import { type Row, tableOf, verdict } from './report.ts'
import { measureCards } from './rows/cards.ts'
import { measureGetLoan } from './rows/get-loan.ts'
import { measureHeavy } from './rows/heavy.ts'
import { measureJobs } from './rows/jobs.ts'
import { measureLoans } from './rows/loans.ts'
import { measureMonthEnd } from './rows/month-end.ts'
import { measureStarts } from './rows/start.ts'

type Measure = (options: Options, say: (line: string) => void) => Promise<Row[]>

const MEASURES: Record<Options['only'][number], Measure> = {
  start: measureStarts,
  loans: measureLoans,
  cards: measureCards,
  'get-loan': measureGetLoan,
  'month-end': measureMonthEnd,
  heavy: measureHeavy,
  jobs: measureJobs,
}

function machine() {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    // A load above zero before the first measurement comes from other programs on this machine.
    load_before: loadavg()[0]!,
  }
}

async function bench(args: string[]): Promise<void> {
  const options = readOptions(args)
  const began = new Date()
  const on = machine()
  console.error(`${on.cores} cores, load ${on.load_before.toFixed(2)} before the first measurement`)
  const rows: Row[] = []
  for (const name of options.only) {
    console.error(name)
    rows.push(...(await MEASURES[name](options, line => console.error(`  ${line}`))))
  }
  console.log(tableOf(rows))
  if (options.json === null) return
  const judged = rows.map(row => ({ ...row, verdict: verdict(row) }))
  const report = { began, finished: new Date(), machine: on, options, rows: judged }
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
}

bench(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
