/** While the card processor is silent, whoever waits leaves the database to the others. */
import { afterEach, expect, test, vi } from 'vitest'
import { patienceOf } from '../../src/credit/cards/patience.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** When it looks, in milliseconds from the beginning. */
async function looks(patience_ms: number): Promise<number[]> {
  vi.useFakeTimers()
  const began = Date.now()
  const patience = patienceOf(patience_ms)
  const at: number[] = []
  for (;;) {
    const again = patience.again()
    await vi.runAllTimersAsync()
    if (!(await again)) return at
    at.push(Date.now() - began)
  }
}

test('an answer that comes at once is seen at once, silence is looked at seldom', async () => {
  const at = await looks(12_000)
  expect(at.filter(ms => ms <= 150)).toHaveLength(3)
  expect(at.length).toBeLessThan(32)
  expect(at.at(-1)).toBeGreaterThanOrEqual(12_000)
  expect(at.at(-1)).toBeLessThan(12_600)
})
