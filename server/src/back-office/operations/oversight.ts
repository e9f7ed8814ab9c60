/** Back office: the audit trail. */
import { AUDIT_KINDS, type AuditEntry } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { LENDER, ofEachOwner } from '../../platform/db/of-partner.ts'
import {
  newestFirst,
  type Page,
  type PageRequest,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { namedPartner } from '../../platform/kit/ids.ts'

interface Row extends Omit<AuditEntry, 'at' | 'partner_id'> {
  at: Date
  partner_id: string
}

/**
 * One query per kind of record, with the same columns. `whose` is the condition on the partner of a
 * table's rows. Sign-ins and product changes belong to the lender. Ids sort by real time.
 */
const RECORDS: Record<
  (typeof AUDIT_KINDS)[number],
  (whose: (table: string) => RawBuilder<boolean>) => RawBuilder<unknown>
> = {
  STEP: whose => sql`
    select id, 'STEP' as kind, at, partner_id, actor, trigger as did, resource, resource_id,
      from_status, to_status, reason from state_changes
    where ${whose('state_changes')}`,
  SIGN_IN: () => sql`
    select id, 'SIGN_IN', at, ${LENDER}, email, 'sign_in', 'session', null::uuid, null::text,
      outcome, address from sign_ins`,
  ACT: whose => sql`
    select id, 'ACT', at, partner_id, actor, act, resource, resource_id, null::text, null::text,
      reason from acts where ${whose('acts')}`,
  ATTEMPT: whose => sql`
    select id, 'ATTEMPT', at, partner_id, caller_id::text, operation, 'decision', decision_id,
      null::text, outcome, code from decision_attempts
    where ${whose('decision_attempts')}`,
  PRODUCT: () => sql`
    select id, 'PRODUCT', changed_at, ${LENDER}, changed_by, 'change', 'product', product_id,
      null::text, null::text, reason from product_changes`,
}

interface AuditQuery extends PageRequest {
  readonly resource_id?: string | undefined
  readonly kind?: readonly (typeof AUDIT_KINDS)[number][] | undefined
}

async function readAudit(
  tx: Tx,
  { resource_id, kind, ...request }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const kinds = [...new Set(kind ?? AUDIT_KINDS)]
  const ofOne = resource_id !== undefined
  const of = ofOne ? sql`c.resource_id = ${resource_id}` : sql`c.resource <> 'delivery'`
  const records = sql.join(
    kinds.map(one => RECORDS[one](table => (ofOne ? ofEachOwner(table) : sql`true`))),
    sql` union all `,
  )
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select c.id, c.kind, c.at, c.partner_id, c.did, c.resource, c.resource_id, c.from_status,
      c.to_status, c.reason, coalesce(o.email, k.name, c.actor) as actor, ${key}
    from (${records}) c(id, kind, at, partner_id, actor, did, resource, resource_id, from_status,
      to_status, reason)
    left join operators o on o.id::text = c.actor
    left join callers k on k.partner_id = c.partner_id and k.id::text = c.actor
    where ${of} and ${where}`
  const page = await readPage(tx, request, newestFirst(sql`c.id`), select)
  return viewPage(page, viewOf)
}

function viewOf({ id, kind, at, partner_id, actor, did, resource, resource_id, ...row }: Row) {
  const { from_status, to_status, reason } = row
  const what = { actor, did, resource, resource_id, from_status, to_status, reason }
  return { id, kind, at: at.toISOString(), partner_id: namedPartner(partner_id), ...what }
}

export const oversightHandlers: Pick<AdminHandlers, 'listAudit'> = {
  listAudit: (tx, { query, path }) => readAudit(tx, { ...query, path }),
}
