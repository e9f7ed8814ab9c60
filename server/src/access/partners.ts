/** Partners: who the service lends through. Created by an operator, or by the sandbox's seed. */
import { type NewKey, VERSION_DEFAULT } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { createCaller } from './create-key.ts'

export interface NewPartner {
  readonly partner_id: string
  readonly name: string
  /** The key of its first caller, a human; it may do everything, so also create the others. */
  readonly key: NewKey
}

/** Ten million euro: a ceiling that an operator lowers or lifts. */
const EXPOSURE_MAX_DEFAULT = 1_000_000_000n

/**
 * Creates a partner with a human caller and its key. `exposure_max` is in cents. The transaction
 * must see all partners: this one does not exist when it opens.
 */
export async function createPartner(
  tx: Tx,
  wish: { readonly name: string; readonly exposure_max?: bigint },
): Promise<NewPartner> {
  const partner_id = tx.newId()
  await tx.run(sql`
    insert into partners (id, name, exposure_max, created_at)
    values (${partner_id}, ${wish.name}, ${wish.exposure_max ?? EXPOSURE_MAX_DEFAULT}, ${tx.now})`)
  const key = await createCaller(tx, partner_id, {
    name: `${wish.name}: back office`,
    actor: 'human',
    scopes: null,
    version: VERSION_DEFAULT,
  })
  return { partner_id, name: wish.name, key }
}

/** The name of a partner. */
export async function readPartnerName(tx: Tx, partner_id: string): Promise<string> {
  const { name } = await tx.one(
    sql<{ name: string }>`select name from partners where id = ${partner_id}`,
  )
  return name
}
