/** Portfolio at risk: the share of outstanding principal on overdue loans. */
import { share } from '../../platform/kit/money.ts'
import { type LateGroup, readLateGroups, reconcileLateGroups } from './late-groups.ts'
import { type Reader, sumOf } from './report.ts'

const ONE_IN_PPM = 1_000_000n

export const readPortfolioAtRisk: Reader = async (tx, parameters) => {
  const groups = await readLateGroups(tx, parameters)
  const books = Map.groupBy(groups, group => `${group.partner_id} ${group.product}`)
  const own = [...books.values()].flatMap(of => {
    const { partner_id, product } = of[0]!
    return riskOf(of).map(row => ({ partner_id, product, ...row }))
  })
  const all = riskOf(groups).map(row => ({
    partner_id: parameters.partner_id,
    product: null,
    ...row,
  }))
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
    reconcile: () => reconcileLateGroups(tx, parameters, groups),
  }
}

/** PAR 1 counts all overdue loans, PAR 30 those more than 30 days past due, and so on by bucket. */
function levelsOf(groups: readonly LateGroup[]) {
  const days = new Set(groups.flatMap(group => group.delinquency_days))
  return [...days]
    .sort((a, b) => a - b)
    .map(from_days => ({ level: `PAR ${from_days === 1 ? 1 : from_days - 1}`, from_days }))
}

/** The whole principal of an overdue loan is at risk, not just the overdue part. */
function riskOf(groups: readonly LateGroup[]) {
  const portfolio = sumOf(groups, 'principal')
  return levelsOf(groups).map(({ level, from_days }) => {
    const late = groups.filter(group => group.days_late >= from_days)
    const at_risk = sumOf(late, 'principal')
    const ratio_ppm = portfolio > 0n ? share(at_risk, ONE_IN_PPM, portfolio) : 0n
    return { level, loans: sumOf(late, 'loans'), at_risk, portfolio, ratio_ppm }
  })
}
