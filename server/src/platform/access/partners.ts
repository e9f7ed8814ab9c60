/** Partners: the platforms we lend through, created by an operator or the sandbox's seed. */
import { type GateSettings, type NewKey, VERSION_DEFAULT } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { problem } from '../kit/problem.ts'
import { createCaller } from './create-key.ts'
import { insertPartner, type PartnerSettings, updatePartner } from './store.ts'
import { recordAudit } from './store-audit.ts'

export const INVOICE_REVIEWS = ['NONE', 'DOUBTFUL', 'ALL'] as const
export type InvoiceReview = (typeof INVOICE_REVIEWS)[number]

export interface NewPartner {
  readonly partner_id: string
  readonly name: string
  /** The key of its first caller, a human. It has every scope, including creating further keys. */
  readonly key: NewKey
}

/** Ten million euros: the ceiling of a partner that is created without one. */
const EXPOSURE_MAX_DEFAULT = 1_000_000_000n

/**
 * Creates a partner with a human caller and its key. `exposure_max` is in cents. The transaction
 * must cover all partners, because the new partner does not exist when the transaction opens.
 */
export async function createPartner(
  tx: Tx,
  input: { readonly name: string; readonly exposure_max?: bigint },
): Promise<NewPartner> {
  const partner_id = tx.newId()
  await insertPartner(tx, {
    id: partner_id,
    name: input.name,
    created_at: tx.now,
    exposure_max: input.exposure_max ?? EXPOSURE_MAX_DEFAULT,
    invoice_review: tx.settings.mode === 'live' ? 'DOUBTFUL' : 'NONE',
  })
  const key = await createCaller(tx, partner_id, {
    name: `${input.name}: back office`,
    actor: 'human',
    scopes: null,
    version: VERSION_DEFAULT,
  })
  return { partner_id, name: input.name, key }
}

/** Whether gated operations of a partner need a decision for all callers or only for agents. */
export function readGate(tx: Tx, partner_id: string): Promise<GateSettings> {
  return tx.one(sql<GateSettings>`
    select people_need_decisions from partners where id = ${partner_id}`)
}

/** Sets whether gated operations need a decision for all callers. Throws `resource_unknown`. */
export async function setGate(tx: Tx, partner_id: string, gate: GateSettings): Promise<void> {
  await setOnPartner(tx, partner_id, gate)
}

/** Sets which new invoices of a partner wait for a review. Throws `resource_unknown`. */
export async function setInvoiceReview(
  tx: Tx,
  partner_id: string,
  invoice_review: InvoiceReview,
): Promise<void> {
  await setOnPartner(tx, partner_id, { invoice_review })
}

async function setOnPartner(tx: Tx, partner_id: string, settings: PartnerSettings): Promise<void> {
  const known = await updatePartner(tx, partner_id, settings)
  if (!known) throw problem('resource_unknown', `There is no partner ${partner_id}.`)
  const set = Object.entries(settings).map(([name, value]) => `${name}: ${value}`)
  const what = { resource: 'partner', resource_id: partner_id, partner_id, reason: set.join(', ') }
  await recordAudit(tx, { act: 'change', ...what })
}

/** The name of a partner. Throws `resource_unknown`. */
export async function readPartnerName(tx: Tx, partner_id: string): Promise<string> {
  const known = await tx.maybe(
    sql<{ name: string }>`select name from partners where id = ${partner_id}`,
  )
  if (!known) throw problem('resource_unknown', `There is no partner ${partner_id}.`)
  return known.name
}
