/** A large order file is written and checked in little memory. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ORDERS = 100_000
/** The orders themselves take most of the heap. */
const HEAP_MB = 200

test('100,000 orders are written with exact sums', async () => {
  const program = fileURLToPath(new URL('write-many.ts', import.meta.url))
  const limits = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=4']
  const { stdout } = await promisify(execFile)(process.execPath, [...limits, program, `${ORDERS}`])
  // 100,000 times the largest amount, less 0 + 1 + … + 99,999 cents.
  const sum = '99999949999500.00'
  expect(JSON.parse(stdout)).toEqual({
    orders: ORDERS,
    sum: sum.replace('.', ''),
    last: true,
    counts: [String(ORDERS), String(ORDERS)],
    sums: [sum, sum],
  })
})
