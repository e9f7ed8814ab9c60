/** Reads the simulator's command line. */
import { parseArgs } from 'node:util'

export interface Options {
  readonly seeds: readonly number[]
  readonly days: number
  readonly chaos: boolean
  readonly story: boolean
  readonly trace: string | undefined
}

const USAGE = `Use: npm run -s simulate -- --seed N --days D [--seeds COUNT] [--story | --chaos]
  --seed N      the first seed, a whole number (1)
  --days D      how many days each life has (120)
  --seeds COUNT so many seeds from N on, one for each core at a time (1)
  --story       tells what happened, one line each
  --trace FILE  writes every statement of one seed and its answer into a file
  --chaos       a real service under real concurrency, killed with -9; same rules, no replay`

/**
 * Returns the options. Throws with the usage if a value is invalid, and `parseArgs`'s error for an
 * unknown option.
 */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      days: { type: 'string', default: '120' },
      chaos: { type: 'boolean', default: false },
      story: { type: 'boolean', default: false },
      trace: { type: 'string' },
    },
  })
  const [seed, count, days] = [values.seed, values.seeds, values.days].map(Number)
  const whole = [seed, count, days].every(n => Number.isSafeInteger(n) && n! >= 0)
  const traced = values.trace !== undefined
  if (!whole || count === 0 || days === 0 || (traced && count !== 1)) throw new Error(USAGE)
  const seeds = Array.from({ length: count! }, (_, n) => seed! + n)
  return { seeds, days: days!, chaos: values.chaos, story: values.story, trace: values.trace }
}
