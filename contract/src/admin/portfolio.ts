/** How the business stood at the end of each day, for charts. */
import { z } from 'zod'
import { Cents, DayAnswer, digits } from '../shared.ts'
import { adminTable } from './define.ts'

/** Amounts at the end of a day, and what the books were told of in its course. */
export const PortfolioDay = z
  .object({
    on: DayAnswer,
    outstanding: Cents,
    /** What might still be drawn under all lines. */
    available: Cents,
    /** Principal of loans that were late. */
    late: Cents,
    loans_running: z.int(),
    paid_out: Cents,
    repaid: Cents,
    interest_earned: Cents,
  })
  .meta({ id: 'PortfolioDay' })
export type PortfolioDay = z.infer<typeof PortfolioDay>

export const Portfolio = z
  .object({
    days: z.array(PortfolioDay),
    /** Today's loans that are late, by how late they are, the oldest last. */
    aging: z.array(z.object({ bucket: z.string(), loans: z.int(), principal: Cents })),
  })
  .meta({ id: 'Portfolio' })
export type Portfolio = z.infer<typeof Portfolio>

export const portfolioOperations = adminTable({
  getPortfolio: {
    method: 'GET',
    path: '/admin/portfolio',
    summary: 'How the business stood at the end of each of the last days',
    asks: 'viewer',
    success: 200,
    query: z.strictObject({ days: digits(z.int().min(1).max(400).default(90)) }),
    answer: Portfolio,
    problems: [],
  },
})
