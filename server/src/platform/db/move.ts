/** Changes statuses as the state machines allow, and records who changed each, why and when. */
import {
  eventTypes,
  type Machine,
  type MachineName,
  machines,
  type Status,
  type Trigger,
} from '@headroom/contract'
import { sql } from 'kysely'
import { assert } from '../kit/assert.ts'
import { LENDER_ID } from '../kit/ids.ts'
import { next } from '../kit/machine.ts'
import { problem } from '../kit/problem.ts'
import type { Tx } from './transaction.ts'

/**
 * For each resource, the table with its status and the prefix of its status events (null without
 * events). A change of status sets `updated_at` in `dated` tables. Rows of `lenders` tables belong
 * to the lender, all others to a partner.
 */
export const HOLDERS = {
  borrower: { table: 'borrowers', key: 'id', event: 'Borrower' },
  compliance: { table: 'compliance_checks', key: 'borrower_id', event: null },
  repayment_method: { table: 'repayment_methods', key: 'id', event: null },
  mandate: { table: 'mandates', key: 'id', event: null },
  loan: { table: 'loans', key: 'id', event: 'Loan' },
  write_off: { table: 'write_offs', key: 'id', event: null },
  payment: { table: 'payments', key: 'id', event: 'Payment', dated: true },
  suspense: { table: 'suspense_items', key: 'id', event: null, lenders: true },
  processor_payment: { table: 'processor_payments', key: 'id', event: null, lenders: true },
  bill: { table: 'bills', key: 'id', event: 'Bill' },
  invoice: { table: 'invoices', key: 'id', event: 'Invoice' },
  limit_override: { table: 'limit_overrides', key: 'id', event: null },
  // A card has no history until it is issued, which may never happen.
  card: { table: 'cards', key: 'id', event: 'Card', since: 'issued_at' },
  card_entry: { table: 'card_entries', key: 'id', event: 'CardEntry' },
  data_batch: { table: 'data_batches', key: 'id', event: null },
  onboarding: { table: 'onboardings', key: 'id', event: 'Onboarding' },
  revenue_share: { table: 'revenue_shares', key: 'id', event: null },
  recollection_case: { table: 'recollection_cases', key: 'id', event: 'RecollectionCase' },
  recollection_action: { table: 'recollection_actions', key: 'id', event: null },
  installment_plan: { table: 'installment_plans', key: 'id', event: 'InstallmentPlan' },
  installment: { table: 'plan_installments', key: 'id', event: 'Installment', dated: true },
  subscription: { table: 'subscriptions', key: 'id', event: null },
  decision: { table: 'decisions', key: 'id', event: 'Decision' },
  decision_step: { table: 'decision_steps', key: 'id', event: null },
  webhook: { table: 'webhooks', key: 'id', event: null },
  delivery: { table: 'webhook_deliveries', key: 'id', event: null },
  company_proposal: { table: 'company_proposals', key: 'id', event: null, lenders: true },
} as const

/** The column that holds the status of each machine, as `table.column`. */
export function statusColumns(): Record<MachineName, string> {
  const columns = Object.entries(HOLDERS).map(([name, { table }]) => [name, `${table}.status`])
  return {
    ...(Object.fromEntries(columns) as Record<Resource, string>),
    // The simulated bank keeps no history.
    bank_instruction: 'sandbox_bank_instructions.state',
    // Files have rows that say what the bank reported.
    order_file: 'order_files.state',
    bank_file: 'bank_files.state',
    bank_statement: 'bank_statements.state',
  }
}

export type Resource = keyof typeof HOLDERS

export interface StatusHolder<R extends Resource> {
  readonly id: string
  /** The nil id if the resource belongs to the lender. */
  readonly partner_id: string
  readonly status: Status<R>
}

interface Change<R extends Resource> {
  readonly id: string
  readonly partner_id: string
  readonly from: Status<R> | null
  readonly to: Status<R>
  readonly trigger: Trigger<R> | 'create' | 'amend'
}

/** A transition of one resource that has not been written yet. */
export interface Step<R extends Resource> extends Change<R> {
  readonly resource: R
}

/** The cast is safe: a resource's machine has the resource's statuses and triggers. */
const machineOf = <R extends Resource>(resource: R) =>
  machines[resource] as unknown as Machine<Status<R>, Trigger<R>>

/**
 * The step that a trigger causes, for a module that writes the status with the rest of the row. The
 * module's statement must require the old status, and `recordSteps` must follow it. Throws
 * `state_conflict` when the machine has no such transition.
 */
export function step<R extends Resource>(
  resource: R,
  { id, partner_id, status: from }: StatusHolder<R>,
  trigger: Trigger<R>,
): Step<R> {
  const to = next(machineOf(resource), from, trigger)
  if (to === null) throw problem('state_conflict', `${resource} is ${from}: cannot ${trigger}`)
  return { resource, id, partner_id, from, to, trigger }
}

/** Records steps of one kind of resource whose statuses were written with their rows. */
export function recordSteps<R extends Resource>(
  tx: Tx,
  steps: readonly Step<R>[],
  reason: string | null,
): void {
  if (steps.length > 0) recordChanges(tx, steps[0]!.resource, steps, reason)
}

/**
 * Applies a trigger to resources of one kind and returns their new statuses in the same order.
 * Throws `state_conflict` when the machine has no such transition from a resource's status.
 */
export async function move<R extends Resource>(
  tx: Tx,
  resource: R,
  holders: readonly StatusHolder<R>[],
  trigger: Trigger<R>,
  reason: string | null = null,
): Promise<Status<R>[]> {
  if (holders.length === 0) return []
  const changes = holders.map(holder => step(resource, holder, trigger))
  const { table, key } = HOLDERS[resource]
  const dated = 'dated' in HOLDERS[resource] ? sql`, updated_at = ${tx.now}` : sql``
  const samePartner = 'lenders' in HOLDERS[resource] ? sql`` : sql`t.partner_id = m.partner_id and`
  const moved = await tx.run(sql`
    update ${sql.table(table)} t set status = m.to_status ${dated}
    from unnest(${changes.map(c => c.id)}::uuid[], ${changes.map(c => c.partner_id)}::uuid[],
      ${changes.map(c => c.from)}::text[], ${changes.map(c => c.to)}::text[])
      as m (id, partner_id, from_status, to_status)
    where ${samePartner} t.${sql.ref(key)} = m.id and t.status = m.from_status`)
  assert(moved === changes.length, `${resource} changed while it was moved by ${trigger}`)
  recordSteps(tx, changes, reason)
  return changes.map(c => c.to)
}

/** Adds an entry to the resources' history for a change that leaves their status as it is. */
export function recordAmendment<R extends Resource>(
  tx: Tx,
  resource: R,
  holders: readonly StatusHolder<R>[],
  reason: string,
): void {
  const changes = holders.map(({ id, partner_id, status }) => ({
    id,
    partner_id,
    from: status,
    to: status,
    trigger: 'amend' as const,
  }))
  insertChanges(tx, resource, changes, reason)
}

/**
 * Walks a new resource from its machine's initial status through `triggers`. Insert the row with
 * the returned `status`, then call `recordCreation`.
 */
export function initialStatus<R extends Resource>(
  resource: R,
  triggers: Trigger<R>[],
): StatusHistory<R> {
  const machine = machineOf(resource)
  let status = machine.initial
  const changes: StatusHistory<R>['changes'] = [{ from: null, to: status, trigger: 'create' }]
  for (const trigger of triggers) {
    const to = next(machine, status, trigger)
    assert(to !== null, `a new ${resource} in ${status} cannot ${trigger}`)
    changes.push({ from: status, to, trigger })
    status = to
  }
  return { resource, changes, status }
}

export interface StatusHistory<R extends Resource> {
  resource: R
  status: Status<R>
  changes: Pick<Change<R>, 'from' | 'to' | 'trigger'>[]
}

/** Records every status that a new row passed through, each with the given reason. */
export function recordCreation<R extends Resource>(
  tx: Tx,
  rows: readonly {
    id: string
    partner_id: string
    initial: StatusHistory<R>
    reason?: string | null
  }[],
): void {
  const resource = rows[0]?.initial.resource
  if (resource === undefined) return
  for (const [reason, group] of Map.groupBy(rows, b => b.reason ?? null)) {
    const changes = group.flatMap(b =>
      b.initial.changes.map(c => ({ ...c, id: b.id, partner_id: b.partner_id })),
    )
    recordChanges(tx, resource, changes, reason)
  }
}

function insertChanges<R extends Resource>(
  tx: Tx,
  resource: R,
  changes: readonly Change<R>[],
  reason: string | null,
): void {
  tx.append(
    'state_changes',
    changes.map(({ id, partner_id, from, to, trigger }) => ({
      id: tx.newId(),
      partner_id,
      resource,
      resource_id: id,
      from_status: from,
      to_status: to,
      trigger,
      reason,
      actor: tx.actor,
      at: tx.now,
    })),
  )
}

function recordChanges<R extends Resource>(
  tx: Tx,
  resource: R,
  changes: readonly Change<R>[],
  reason: string | null,
): void {
  insertChanges(tx, resource, changes, reason)
  const { event } = HOLDERS[resource]
  if (event === null) return
  for (const { id, partner_id, to } of changes) {
    assert(partner_id !== LENDER_ID, `${resource} ${id} has events, so it belongs to a partner`)
    const type = `${event}.${to.toUpperCase()}`
    // Some statuses are intermediate and have no event type.
    if (!Object.hasOwn(eventTypes, type)) continue
    tx.pending.events.push({
      resource,
      resource_id: id,
      partner_id,
      type,
      overlay: { status: to },
    })
  }
}
