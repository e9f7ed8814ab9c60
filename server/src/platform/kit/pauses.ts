/** Lets long work yield to other requests on the one thread that serves them all. */

/** Time for long work per turn: well below 50 ms, the longest that one request may block others. */
const TURN_MS = 10

/** Pieces per turn. Time alone would admit all pieces that start before the first one has run. */
const PIECES_MAX = 5

/** When long work began in the current turn; null while none is running. */
let began: number | null = null
let pieces = 0
/** Work waiting to continue, oldest first. */
const waiting: (() => void)[] = []

/** Time after which `createYielder` yields. */
const PIECE_MS = 2

const CONTINUE_NOW = Promise.resolve()

/**
 * Call between two pieces of long work, each a millisecond or two. Waits once the turn's time or
 * pieces are used up. All long work shares one such budget per turn of the event loop and resumes
 * in the order in which it started waiting.
 */
export function yieldThread(): Promise<void> {
  if (began === null) {
    began = performance.now()
    pieces = 0
    setImmediate(nextTurn)
  }
  pieces += 1
  const has_time = pieces <= PIECES_MAX && performance.now() - began < TURN_MS
  if (has_time && waiting.length === 0) return CONTINUE_NOW
  const turn = new Promise<void>(resolve => waiting.push(resolve))
  // Work that has waited longer takes this turn's remaining time.
  if (has_time) waiting.shift()!()
  return turn
}

/**
 * For work in many steps of very different cost: await the returned function before each step. It
 * yields before the first step, and again whenever the steps since then have taken `PIECE_MS`. With
 * `at_once`, for work that is usually short, it does not yield before the first step.
 */
export function createYielder({ at_once = false } = {}): () => Promise<void> {
  let began = at_once ? performance.now() : Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - began < PIECE_MS) return
    await yieldThread()
    began = performance.now()
  }
}

/**
 * Starts the next turn after other events have been served: resumes the work that waited longest.
 */
function nextTurn(): void {
  const next = waiting.shift()
  began = next ? performance.now() : null
  pieces = 1
  if (!next) return
  setImmediate(nextTurn)
  next()
}
