/**
 * Runs simulated lives of a lending business from a seed: `npm run -s simulate`; see
 * docs/simulator.md. A life that breaks no rule prints `seed N days D books <sha256>`.
 */
import { availableParallelism } from 'node:os'
import { runChaos } from './chaos/run-chaos.ts'
import { runSeedInProcess } from './deterministic/run-seed-in-process.ts'
import { type Options, readOptions } from './options.ts'
import { startLifeServer, TEMPLATE } from './server.ts'

const KILLS_MIN = 5

/**
 * Runs every seed, as many in parallel as there are cores, and returns how many broke a rule.
 * Parallel lives have separate servers, because an open transaction in one database delays the
 * cleanup of rows in another.
 */
async function runSeeds(options: Options): Promise<number> {
  const waiting = [...options.seeds]
  const runners = Math.min(availableParallelism(), waiting.length)
  const broken = await Promise.all(
    Array.from({ length: runners }, () => runWaitingSeeds(waiting, options)),
  )
  return broken.reduce((sum, one) => sum + one, 0)
}

async function runWaitingSeeds(
  waiting: number[],
  { days, story, trace }: Options,
): Promise<number> {
  const life = await startLifeServer()
  let broken = 0
  try {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const plan = { seed, days, ...(trace !== undefined && { trace }) }
      const report = await runSeedInProcess({ ...plan, server: life.server, template: TEMPLATE })
      if ('violation' in report) {
        broken++
        console.error(report.violation)
        console.log(`seed ${seed} days ${days} broken`)
        continue
      }
      const { statements, crashes, loans, books } = report.life
      if (story) console.error(report.life.story.join('\n'))
      console.error(`${loans} loans, ${statements} statements, ${crashes} crashes`)
      console.log(`seed ${seed} days ${days} books ${books}`)
    }
  } finally {
    await life.close()
  }
  return broken
}

/** Runs the seeds one after the other, because each takes a service, a database and clients. */
async function runChaosSeeds({ seeds, days }: Options): Promise<void> {
  for (const seed of seeds) {
    const { kills, loans, ...survived } = await runChaos({ seed, kills: KILLS_MIN, days })
    console.log(`seed ${seed} days ${survived.days} kills ${kills} loans ${loans} nothing lost`)
  }
}

async function simulate(args: string[]): Promise<void> {
  const options = readOptions(args)
  if (options.chaos) return runChaosSeeds(options)
  if ((await runSeeds(options)) > 0) process.exitCode = 1
}

simulate(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
