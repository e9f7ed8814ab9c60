/**
 * The clock of a simulated process. It advances a millisecond per statement, and to the end of the
 * next pause when nothing else can run, so that real time never affects the order.
 */

const BEGINNING = Date.UTC(2031, 0, 6, 7)
const YEAR_DAYS = 365
const DAY_MS = 86_400_000

/** The setting that `now()` reads in a database session; set before each transaction. */
export const TIME_SETTING = 'headroom.now'

/** A pending timer; the simulation decides when it ends. */
export interface Pause {
  readonly due: number
  readonly act: () => void
}

let now = BEGINNING
/** Pending pauses, in the order in which they began. */
const pauses = new Set<Pause>()

/** Starts a life on the day of the year given by its seed. */
export function beginClock(seed: number): void {
  now = BEGINNING + (seed % YEAR_DAYS) * DAY_MS
  pauses.clear()
}

/** Milliseconds since 1970, as the simulated process sees them. */
export function clockNow(): number {
  return now
}

export function passTime(ms: number): void {
  now += ms
}

export function beginPause(act: () => void, ms: number): Pause {
  const pause = { due: now + ms, act }
  pauses.add(pause)
  return pause
}

export function clearPause(pause: Pause): void {
  pauses.delete(pause)
}

/** A crashed process has no pending pauses. */
export function clearPauses(): void {
  pauses.clear()
}

/** The pause that ends first; among equals, the one that began first. Null if there is none. */
export function nextPause(): Pause | null {
  let next: Pause | null = null
  for (const pause of pauses) if (!next || pause.due < next.due) next = pause
  return next
}

/** Ends a pause, advancing the clock to its end if necessary. */
export function endPause(pause: Pause): void {
  now = Math.max(now, pause.due)
  pauses.delete(pause)
  pause.act()
}
