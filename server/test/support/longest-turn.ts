/** Measures how long work keeps the event loop from other requests. */

const ATTEMPTS = 5

/**
 * The longest turn of the event loop during `work`, in milliseconds of the thread's CPU time, so
 * that other programs do not count. Any turn may include a garbage collection, so `work` runs up to
 * `ATTEMPTS` times, until a run stays within `enough_ms`. Returns the shortest result.
 */
export async function longestTurn(
  enough_ms: number,
  work: () => Promise<unknown>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > enough_ms; attempt++) {
    least = Math.min(least, await longestOnce(work))
  }
  return least
}

async function longestOnce(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let is_over = false
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!is_over) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    is_over = true
  }
  look()
  return longest
}
