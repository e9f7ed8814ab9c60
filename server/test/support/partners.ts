/** Partners beside the two of a test house: none of them sees what the others do. */
import { createPartner } from '../../src/access/index.ts'
import { transaction } from '../../src/db/transaction.ts'
import type { TestHouse } from './house.ts'

/** The same house as a new partner sees it. */
export async function asNewPartner(house: TestHouse, name: string): Promise<TestHouse> {
  const { partner_id, key } = await transaction(house.context.database, { partners: '*' }, tx =>
    createPartner(tx, { name }),
  )
  return { ...house, partner_id, key: key.key, client: house.clientOf(key.key) }
}
