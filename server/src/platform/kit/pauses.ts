/** Gives other requests their turn during long work on the one thread that serves them all. */

/** Well below the 50 ms for which reading requests may hold up the others. */
const TURN_MS = 10

/** Pieces begun in a turn: where many begin at once, none has taken any time yet. */
const PIECES_MAX = 5

/** When long work was first noticed in this turn of the loop; null before that. */
let began: number | null = null
let pieces = 0
/** Who waits to go on, longest first. */
const waiting: (() => void)[] = []

/** How long a piece may take where its steps are timed. */
const PIECE_MS = 2

const GO_ON = Promise.resolve()

/**
 * Called between two pieces of long work, each a millisecond or two: waits once a turn's time or
 * pieces are used up. All such work together has these between two looks at what others want,
 * however much of it there is, and goes on in the order in which it came to wait.
 */
export function pause(): Promise<void> {
  if (began === null) {
    began = performance.now()
    pieces = 0
    setImmediate(nextTurn)
  }
  pieces += 1
  const has_time = pieces <= PIECES_MAX && performance.now() - began < TURN_MS
  if (has_time && waiting.length === 0) return GO_ON
  const turn = new Promise<void>(resolve => waiting.push(resolve))
  // Its time is the next one's, who came before.
  if (has_time) waiting.shift()!()
  return turn
}

/**
 * For work in many steps, some of which may cost far more than others: await the function before
 * each step. It pauses before the first one, and again whenever the steps since the last pause have
 * taken `PIECE_MS`.
 */
export function timedPauses(): () => Promise<void> {
  let began = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - began < PIECE_MS) return
    await pause()
    began = performance.now()
  }
}

/** The loop has been round once: one goes on, and others after it while there is time. */
function nextTurn(): void {
  const next = waiting.shift()
  began = next ? performance.now() : null
  pieces = 1
  if (!next) return
  setImmediate(nextTurn)
  next()
}
