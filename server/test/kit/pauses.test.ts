/** Long concurrent tasks yield to other events after each turn of work. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createYielder, yieldThread } from '../../src/platform/kit/pauses.ts'

const PIECES = 12
const PIECE_MS = 4

function compute(ms: number): void {
  for (const began = performance.now(); performance.now() - began < ms; );
}

test('other events are served after at most one turn of work', async () => {
  let working = PIECES
  const longs = Array.from({ length: PIECES }, async () => {
    for (let n = 0; n < 5; n++) {
      await yieldThread()
      compute(PIECE_MS)
    }
    working -= 1
  })
  // Measured in CPU time, because a busy machine makes each step longer.
  const done: number[] = []
  while (working > 0) {
    const before = process.cpuUsage()
    await turn()
    const { user, system } = process.cpuUsage(before)
    done.push((user + system) / 1_000)
  }
  await Promise.all(longs)
  expect(done.length).toBeGreaterThanOrEqual((PIECES * 5 * PIECE_MS) / 20)
  expect(Math.max(...done)).toBeLessThan((PIECES - 2) * PIECE_MS)
})

test('a short task continues at once', async () => {
  await turn()
  let turns = 0
  const counting = turn().then(() => (turns += 1))
  for (let n = 0; n < 5; n++) await yieldThread()
  expect(turns).toBe(0)
  await counting
})

test('short steps of several tasks share a turn', async () => {
  let working = 2
  const longs = [1, 2].map(async () => {
    for (let n = 0; n < 100; n++) await yieldThread()
    working -= 1
  })
  let turns = 0
  for (; working > 0; turns++) await turn()
  await Promise.all(longs)
  expect(turns).toBeLessThan(60)
})

test('timed steps pause by elapsed time, not by their number', async () => {
  const turnsDuring = async (steps: number, ms: number) => {
    await turn()
    let turns = 0
    let working = true
    const counting = (async () => {
      for (; working; turns++) await turn()
    })()
    const pauseWhenDue = createYielder()
    for (let n = 0; n < steps; n++) {
      await pauseWhenDue()
      compute(ms)
    }
    working = false
    await counting
    return turns
  }
  // Slow steps: 30 of 3 ms each, about ten milliseconds per turn at most.
  expect(await turnsDuring(30, 3)).toBeGreaterThan(6)
  // Quick steps: hundreds of them share a turn.
  expect(await turnsDuring(1_000, 0)).toBeLessThan(6)
})
