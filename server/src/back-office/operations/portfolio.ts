/** Back office: the portfolio now and by day, and the aging of overdue loans. */
import type { AdminHandlers } from '../../context.ts'
import { readDelinquency } from '../../credit/delinquency/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { toWire } from '../../platform/kit/money.ts'
import { readPortfolio, readStanding } from '../portfolio/index.ts'
import { partnerScopeOf } from './partner-scope.ts'

export const portfolioHandlers: Pick<AdminHandlers, 'getStanding' | 'getPortfolio'> = {
  getStanding: {
    orchestrate: ({ database }, { query, person }) => {
      const { partner_id, partners } = partnerScopeOf(person, query)
      const scope = { partners, read_only: true } as const
      return transaction(database, scope, tx => readStanding(tx, partner_id))
    },
  },
  getPortfolio: {
    orchestrate: ({ database }, { query, person }) => {
      const { partner_id, partners } = partnerScopeOf(person, query)
      return transaction(database, { partners, read_only: true }, async tx => {
        const aging = await readDelinquency(tx, partner_id)
        return {
          days: await readPortfolio(tx, query.days, partner_id),
          aging: aging.map(({ bucket, loans, principal }) => ({
            bucket,
            loans: Number(loans),
            principal: toWire(principal),
          })),
        }
      })
    },
  },
}
