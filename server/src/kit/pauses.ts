/** Gives other requests their turn during long work on the one thread that serves them all. */

/** Well below the 50 ms for which reading requests may hold up the others. */
const TURN_MS = 10

/** Pieces let through in a turn, whatever the time: of those that begin together none is done. */
const PIECES_MAX = 5

/** When long work was first noticed in this turn of the loop; null before that. */
let began: number | null = null
let pieces = 0
/** Who waits to go on, longest first. */
const waiting: (() => void)[] = []

const GO_ON = Promise.resolve()

/**
 * Called between two pieces of long work, and before one: waits once a turn's time is used up. All
 * such work together has that time between two looks at what others want, so nobody waits for more
 * than one piece of it, however many there are.
 */
export function pause(): Promise<void> {
  if (began === null) {
    began = performance.now()
    pieces = 0
    setImmediate(nextTurn)
  }
  pieces += 1
  const has_time = pieces <= PIECES_MAX && performance.now() - began < TURN_MS
  if (waiting.length === 0 && has_time) return GO_ON
  return new Promise(resolve => waiting.push(resolve))
}

/** The loop has been round once: one goes on. */
function nextTurn(): void {
  const next = waiting.shift()
  began = next ? performance.now() : null
  pieces = 1
  if (!next) return
  setImmediate(nextTurn)
  next()
}
