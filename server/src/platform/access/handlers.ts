/** Handlers of the key operations and `hello`. */
import type { Handlers } from '../../context.ts'
import { createKey } from './create-key.ts'
import { readPartnerName } from './partners.ts'
import { readKeys } from './queries.ts'
import { revokeKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

type Served = 'hello' | 'listKeys' | 'createKey' | 'rotateKey' | 'revokeKey'

export const accessHandlers: Pick<Handlers, Served> = {
  hello: async (tx, { caller }) => `Hello, ${await readPartnerName(tx, caller.partner_id)}\n`,

  listKeys: (tx, { caller, query, path }) => readKeys(tx, caller.partner_id, { ...query, path }),

  createKey: (tx, { caller, body }) =>
    createKey(tx, caller, { ...body, scopes: body.scopes ?? null }),

  rotateKey: (tx, { caller, params, body }) =>
    rotateKey(tx, caller, params.key_id, body.overlap_hours),

  revokeKey: (tx, { caller, params }) => revokeKey(tx, caller, params.key_id),
}
