/** Portfolio at risk: what part of the principal outstanding belongs to loans that are late. */
import { share } from '../../platform/kit/money.ts'
import { heldAgainstBooks, type LateGroup, readLateGroups } from './late-groups.ts'
import { type Reader, sumOf } from './report.ts'

const ONE_IN_PPM = 1_000_000n

export const readPortfolioAtRisk: Reader = async (tx, wish) => {
  const groups = await readLateGroups(tx, wish)
  const books = Map.groupBy(groups, group => `${group.partner_id} ${group.product}`)
  const own = [...books.values()].flatMap(of => {
    const { partner_id, product } = of[0]!
    return riskOf(of).map(row => ({ partner_id, product, ...row }))
  })
  const all = riskOf(groups).map(row => ({ partner_id: wish.partner_id, product: null, ...row }))
  return {
    columns: {
      partner_id: 'partner',
      product: 'word',
      level: 'text',
      loans: 'count',
      at_risk: 'cents',
      portfolio: 'cents',
      ratio_ppm: 'ppm',
    },
    rows: [[...all, ...own]],
    reconcile: () => heldAgainstBooks(tx, wish, groups),
  }
}

/** PAR 1 is late at all; PAR 30 is late for more than 30 days, and so on by the buckets. */
function levelsOf(groups: readonly LateGroup[]) {
  const days = new Set(groups.flatMap(group => group.delinquency_days))
  return [...days]
    .sort((a, b) => a - b)
    .map(from_days => ({ level: `PAR ${from_days === 1 ? 1 : from_days - 1}`, from_days }))
}

/** The whole principal of a late loan is at risk, not its overdue part alone. */
function riskOf(groups: readonly LateGroup[]) {
  const portfolio = sumOf(groups, 'principal')
  return levelsOf(groups).map(({ level, from_days }) => {
    const late = groups.filter(group => group.days_late >= from_days)
    const at_risk = sumOf(late, 'principal')
    const ratio_ppm = portfolio > 0n ? share(at_risk, ONE_IN_PPM, portfolio) : 0n
    return { level, loans: sumOf(late, 'loans'), at_risk, portfolio, ratio_ppm }
  })
}
