/** Gives other requests their turn during long work on the one thread that serves them all. */
import { setImmediate } from 'node:timers/promises'

/** Well below the 50 ms for which reading one request may hold up the others. */
const TURN_MS = 10

/** Called between two pieces of work; waits for the others once a turn's time is used up. */
export type Pause = () => Promise<void>

/** Pauses for one piece of work. */
export function createPauses(): Pause {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < TURN_MS) return
    await setImmediate()
    began = performance.now()
  }
}
