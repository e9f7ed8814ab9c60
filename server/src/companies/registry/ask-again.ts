/** Asks registries again about companies without a fresh answer. */
import { sql } from 'kysely'
import { batchJob, type Paged } from '../../platform/db/slices.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import type { Day } from '../../platform/kit/dates.ts'

const SLICE = 200

/** Pages by the companies' keys, which begin with letters and so follow every id. */
export function askRegistriesAgain(today: Day): Paged {
  return batchJob(
    'registries to ask again',
    (tx, after) =>
      tx.all(sql<{ id: string }>`
        select company_key as id from registry_answers
        where coalesce(fresh_until < ${today}, true) and company_key > ${after}
        order by company_key limit ${SLICE}`),
    async (tx, keys) => {
      for (const company_key of keys) enqueue(tx, 'look_up_company', { company_key })
      return keys.length
    },
  )
}
