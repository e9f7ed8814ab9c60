/** How the business stood day by day, and how late today's loans are. */
import type { AdminHandlers } from '../context.ts'
import { toWire } from '../kit/money.ts'
import { readDelinquency } from '../lateness/index.ts'
import { readPortfolio } from '../portfolio/index.ts'

export const portfolioHandlers: Pick<AdminHandlers, 'getPortfolio'> = {
  getPortfolio: async (tx, { query }) => {
    const aging = await readDelinquency(tx)
    return {
      days: await readPortfolio(tx, query.days),
      aging: aging.map(({ bucket, loans, principal }) => ({
        ...{ bucket, loans: Number(loans), principal: toWire(principal) },
      })),
    }
  },
}
