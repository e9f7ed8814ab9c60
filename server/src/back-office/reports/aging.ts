/** Aging: the loan book by days past due, in the buckets of each product. */
import { bucketOf, bucketsOf } from '../../credit/delinquency/rules.ts'
import { type LateGroup, readLateGroups, reconcileLateGroups } from './late-groups.ts'
import { type Reader, sumOf } from './report.ts'

export const readAging: Reader = async (tx, parameters) => {
  const groups = await readLateGroups(tx, parameters)
  const books = Map.groupBy(groups, group => `${group.partner_id} ${group.product}`)
  return {
    columns: {
      partner_id: 'partner',
      product: 'word',
      bucket: 'word',
      loans: 'count',
      principal: 'cents',
      interest_billed: 'cents',
    },
    rows: [[...books.values()].flatMap(agingOf)],
    reconcile: () => reconcileLateGroups(tx, parameters, groups),
  }
}

/** One row per bucket of a partner's product, including empty ones. */
function agingOf(groups: readonly LateGroup[]) {
  const { partner_id, product, delinquency_days } = groups[0]!
  return bucketsOf(delinquency_days).map(({ bucket }) => {
    const own = groups.filter(g => bucketOf(g.days_late, delinquency_days).bucket === bucket)
    return {
      partner_id,
      product,
      bucket,
      loans: sumOf(own, 'loans'),
      principal: sumOf(own, 'principal'),
      interest_billed: sumOf(own, 'interest_billed'),
    }
  })
}
