/** Measures and counts the turns of the event loop, in which other requests wait. */
import { PerformanceObserver, performance } from 'node:perf_hooks'

interface Turn {
  readonly began_ms: number
  readonly ended_ms: number
  readonly cpu_ms: number
}

/** How often turns are told apart: short ones count together. */
const LOOK_EACH_MS = 2

/**
 * The longest turn until `ended` settles, in milliseconds of this thread's CPU time, so that other
 * programs do not count. Neither does garbage collection: in tests it runs on this thread, and its
 * cost depends on all that the process's other test files left in memory.
 */
export async function longestTurnUntil(ended: Promise<unknown>): Promise<number> {
  const turns: Turn[] = []
  const collections = watchCollections()
  let before = now()
  const look = () => {
    const after = now()
    turns.push({
      began_ms: before.at_ms,
      ended_ms: after.at_ms,
      cpu_ms: after.cpu_ms - before.cpu_ms,
    })
    before = after
  }
  const timer = setInterval(look, LOOK_EACH_MS)
  await ended.catch(() => {}).finally(() => clearInterval(timer))
  look()
  const collected = await collections.end()
  let longest = 0
  for (const turn of turns) {
    // Most turns are too short to matter, and their overlaps need not be computed.
    if (turn.cpu_ms <= longest) continue
    longest = Math.max(longest, turn.cpu_ms - overlapMs(turn, collected))
  }
  return longest
}

function now() {
  const { user, system } = process.threadCpuUsage()
  return { at_ms: performance.now(), cpu_ms: (user + system) / 1_000 }
}

interface Collection {
  readonly startTime: number
  readonly duration: number
}

function watchCollections() {
  const collections: Collection[] = []
  const observer = new PerformanceObserver(list => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const end = async () => {
    // Collections are reported in the turn after them.
    await new Promise(resolve => setImmediate(resolve))
    collections.push(...observer.takeRecords())
    observer.disconnect()
    return collections
  }
  return { end }
}

function overlapMs(turn: Turn, collections: readonly Collection[]): number {
  return collections
    .map(({ startTime, duration }) => {
      const from = Math.max(startTime, turn.began_ms)
      return Math.max(0, Math.min(startTime + duration, turn.ended_ms) - from)
    })
    .reduce((total, part) => total + part, 0)
}

/**
 * In how many turns `work` computes: other requests can be served between them. Work that does not
 * yield has one at most, on a fast and on a slow machine.
 */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let is_over = false
  const count = () => {
    turns++
    if (!is_over) setImmediate(count)
  }
  setImmediate(count)
  await work().finally(() => {
    is_over = true
  })
  return turns
}
