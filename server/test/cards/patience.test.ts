/** Requests that wait for a silent card processor poll the database less and less often. */
import { afterEach, expect, test, vi } from 'vitest'
import { backoffFor } from '../../src/credit/cards/backoff.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Poll times, in milliseconds from the start. */
async function looks(patience_ms: number): Promise<number[]> {
  vi.useFakeTimers()
  const began = Date.now()
  const patience = backoffFor(patience_ms)
  const at: number[] = []
  for (;;) {
    const again = patience.again()
    await vi.runAllTimersAsync()
    if (!(await again)) return at
    at.push(Date.now() - began)
  }
}

test('an immediate answer is seen at once; silence is polled less and less often', async () => {
  const at = await looks(12_000)
  expect(at.filter(ms => ms <= 150)).toHaveLength(3)
  expect(at.length).toBeLessThan(32)
  expect(at.at(-1)).toBeGreaterThanOrEqual(12_000)
  expect(at.at(-1)).toBeLessThan(12_600)
})
