/** A clock call waits for earlier work only, however much work other partners add meanwhile. */
import { expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

const AT_ONCE = 6
/** Stops the load if the clock call never returns. It should return after far fewer requests. */
const REQUESTS_MAX = 4_000

test('a clock call returns while another partner keeps requesting loans', async () => {
  // In a reused database, dead rows of earlier files would slow jobs down more than requests.
  const app = await testApp({ new: true })
  const other = { ...app, client: app.second }
  const busy = await readyBorrower(app)
  const borrower = await readyBorrower(other)
  await app.drain()
  const before = await today(app)
  let requested = 0
  let isAnswered = false
  const flood = Array.from({ length: AT_ONCE }, async () => {
    while (!isAnswered && requested < REQUESTS_MAX) {
      requested++
      // Refused if the clock moves between reading today's date and the request.
      await requestLoan(app, busy, { amount: 100 }).catch(error =>
        expect(error).toMatchObject({ code: 'request_invalid' }),
      )
    }
  })
  const { id: loan_id } = await requestLoan(other, borrower, { amount: 1_000 })
  const { business_date } = await other.client.advanceSandboxClock({ days: 1 })
  isAnswered = true
  // The clock call also waited for the jobs that each job enqueued: prepare, submit, book.
  const { status } = await other.client.getLoan({ loan_id })
  await Promise.all(flood)
  expect(status).toBe('TO_REPAY')
  expect(business_date.slice(0, 10)).toBe(plusDays(before, 1))
  expect(requested).toBeLessThan(REQUESTS_MAX)
}, 240_000)
