/**
 * The clock of a simulated process. It moves by a millisecond with each statement, and to the end
 * of the next pause when nothing else can go on: real time never decides who is first.
 */

const BEGINNING = Date.UTC(2031, 0, 6, 7)
const YEAR_DAYS = 365
const DAY_MS = 86_400_000

/** What `now()` answers in a session of the database, set before each statement. */
export const TIME_SETTING = 'headroom.now'

/** A timer that the story has to end. */
export interface Pause {
  readonly due: number
  readonly act: () => void
}

let now = BEGINNING
/** In the order in which they were begun; one that was cleared is gone. */
const pauses = new Set<Pause>()

/** Begins a life on the day of the year that its seed tells. */
export function beginClock(seed: number): void {
  now = BEGINNING + (seed % YEAR_DAYS) * DAY_MS
  pauses.clear()
}

/** Milliseconds since 1970, as the simulated process knows them. */
export function clockNow(): number {
  return now
}

/** Lets time pass. */
export function passTime(ms: number): void {
  now += ms
}

/** Begins a pause of so many milliseconds. */
export function beginPause(act: () => void, ms: number): Pause {
  const pause = { due: now + ms, act }
  pauses.add(pause)
  return pause
}

export function clearPause(pause: Pause): void {
  pauses.delete(pause)
}

/** A process that crashed waits for nothing any more. */
export function clearPauses(): void {
  pauses.clear()
}

/** The pause that ends first, of equals the one begun first; null when nobody pauses. */
export function nextPause(): Pause | null {
  let next: Pause | null = null
  for (const pause of pauses) if (!next || pause.due < next.due) next = pause
  return next
}

/** Ends a pause, and lets time pass until it is over where it is not yet. */
export function endPause(pause: Pause): void {
  now = Math.max(now, pause.due)
  pauses.delete(pause)
  pause.act()
}
