/** Overrides a line's limit manually; above a threshold, a second operator approves. */
import { LIMIT_MAX } from '@headroom/contract'
import { type Selectable, sql } from 'kysely'
import { initialStatus, move, recordCreation } from '../../platform/db/move.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../../platform/kit/problem.ts'
import { reasonFaults } from '../../platform/kit/reason.ts'
import { assessLines } from './assess-lines.ts'
import { scorecardInForce } from './inputs.ts'
import { insertOverride, markOverrideInForce } from './store.ts'

type OverrideRow = Selectable<DB['limit_overrides']>

export interface LimitOverrideRequest {
  readonly credit_line_id: string
  /** Cents. */
  readonly pool_amount: bigint
  readonly reason: string
  /** The last day of the override; null if it lasts until an operator ends it. */
  readonly until_on: Day | null
}

/**
 * Overrides the scorecard's limit. Returns the override's id and status: IN_FORCE, which ends the
 * previous override, or PROPOSED if a second operator must approve it. Throws `request_invalid`
 * with every fault, `resource_unknown`, or `state_conflict` for a closed line or a pending
 * proposal.
 */
export async function overrideLimit(
  tx: Tx,
  request: LimitOverrideRequest,
): Promise<Pick<OverrideRow, 'id' | 'status'>> {
  const { rules } = await scorecardInForce(tx)
  const faults = await limitFaults(tx, request)
  if (faults.length > 0) throw invalid(faults)
  const line = await lockOpenLine(tx, await findLine(tx, request.credit_line_id))
  if (await lockOverride(tx, line, 'PROPOSED')) {
    throw problem('state_conflict', 'Another limit waits for approval: approve or reject it first.')
  }
  const alone =
    request.pool_amount <= rules.four_eyes_above || (await lowersOverride(tx, line, request))
  if (alone) await endInForce(tx, line, 'another limit was set')
  const initial = initialStatus('limit_override', alone ? ['approve'] : [])
  const { partner_id } = line
  const row = {
    id: tx.newId(),
    partner_id,
    credit_line_id: line.id,
    proposed_by: tx.actor,
    pool_amount: request.pool_amount,
    reason: request.reason.trim(),
    until_on: request.until_on,
    status: initial.status,
    approved_by: null,
    proposed_at: tx.now,
    in_force_at: alone ? tx.now : null,
  }
  await insertOverride(tx, row)
  recordCreation(tx, [{ id: row.id, partner_id, initial, reason: row.reason }])
  if (alone) await assessLines(tx, [line], 'OVERRIDE')
  return row
}

/**
 * Whether an override is in force that the request neither raises nor extends. The scorecard's
 * limit is not compared, because it may later fall below the new override.
 */
async function lowersOverride(
  tx: Tx,
  line: LineKey,
  { pool_amount, until_on }: LimitOverrideRequest,
): Promise<boolean> {
  const present = await lockOverride(tx, line, 'IN_FORCE')
  if (!present || pool_amount > present.pool_amount) return false
  return present.until_on === null || (until_on !== null && until_on <= present.until_on)
}

/** Faults of a limit that do not depend on the line. */
export async function limitFaults(
  tx: Tx,
  { pool_amount, reason, until_on }: Omit<LimitOverrideRequest, 'credit_line_id'>,
): Promise<InvalidParam[]> {
  const { cap } = (await scorecardInForce(tx)).rules
  const faults: InvalidParam[] = []
  const most = Math.min(cap, LIMIT_MAX)
  if (pool_amount < 0n) faults.push({ name: 'pool_amount', reason: 'is below 0' })
  if (pool_amount > most) {
    faults.push({ name: 'pool_amount', reason: `is above ${most} cents, the most that a line has` })
  }
  faults.push(...reasonFaults(reason))
  if (until_on !== null && until_on < tx.today) {
    faults.push({ name: 'until_on', reason: 'is in the past' })
  }
  return faults
}

/**
 * Puts a proposed override in force. Throws `resource_unknown`, or `state_conflict` if the override
 * is not pending, its last day has passed, its line is closed, or the actor proposed it.
 */
export async function approveOverride(tx: Tx, id: string): Promise<void> {
  const override = await lockOverrideAndLine(tx, id)
  if (override.proposed_by === tx.actor) {
    throw problem('state_conflict', 'You cannot approve your own proposal.')
  }
  if (override.until_on !== null && override.until_on < tx.today) {
    throw problem('state_conflict', 'Its last day has passed.')
  }
  if (override.status === 'PROPOSED') {
    await endInForce(tx, lineOf(override), 'another limit was set')
  }
  await move(tx, 'limit_override', [override], 'approve')
  await markOverrideInForce(tx, override)
  await assessLines(tx, [lineOf(override)], 'OVERRIDE')
}

/** Rejects a proposal, even one for a closed line. An operator may reject their own proposal. */
export async function rejectOverride(tx: Tx, id: string, reason: string): Promise<void> {
  await move(tx, 'limit_override', [await lockOverrideById(tx, id)], 'reject', reason)
}

export async function endOverride(tx: Tx, id: string, reason: string): Promise<void> {
  const override = await lockOverrideAndLine(tx, id)
  await move(tx, 'limit_override', [override], 'end', reason)
  await assessLines(tx, [lineOf(override)], 'OVERRIDE')
}

/** Locks an override and its line. Throws `state_conflict` if the line is closed. */
async function lockOverrideAndLine(tx: Tx, id: string): Promise<OverrideRow> {
  const override = await lockOverrideById(tx, id)
  await lockOpenLine(tx, lineOf(override))
  return override
}

/**
 * Locks the line before the override, like every command that locks both. Operators identify an
 * override by its id alone, so its line is looked up first.
 */
async function lockOverrideById(tx: Tx, id: string): Promise<OverrideRow> {
  const known = await tx.maybe(sql<OverrideRow>`
    select * from limit_overrides where ${ofEachPartner('limit_overrides')} and id = ${id}`)
  if (!known) throw problem('resource_unknown')
  await lockLine(tx, lineOf(known))
  return tx.one(sql<OverrideRow>`
    select * from limit_overrides where partner_id = ${known.partner_id} and id = ${id}
    for no key update`)
}

interface LineKey {
  readonly partner_id: string
  readonly id: string
}

const lineOf = ({ partner_id, credit_line_id }: OverrideRow): LineKey => ({
  partner_id,
  id: credit_line_id,
})

async function findLine(tx: Tx, id: string): Promise<LineKey> {
  const line = await tx.maybe(sql<LineKey>`
    select partner_id, id from credit_lines where ${ofEachPartner('credit_lines')} and id = ${id}`)
  if (!line) throw problem('resource_unknown')
  return line
}

async function lockLine(tx: Tx, { partner_id, id }: LineKey) {
  const line = await tx.maybe(sql<{
    id: string
    partner_id: string
    closed_at: Date | null
  }>`select id, partner_id, closed_at from credit_lines
    where partner_id = ${partner_id} and id = ${id} for no key update`)
  if (!line) throw problem('resource_unknown')
  return line
}

async function lockOpenLine(tx: Tx, key: LineKey) {
  const line = await lockLine(tx, key)
  if (line.closed_at) throw problem('state_conflict', 'The credit line is closed.')
  return line
}

/** A line has at most one override in each of these statuses. */
function lockOverride(tx: Tx, line: LineKey, status: 'PROPOSED' | 'IN_FORCE') {
  return tx.maybe(sql<OverrideRow>`
    select * from limit_overrides
    where partner_id = ${line.partner_id} and credit_line_id = ${line.id} and status = ${status}
    for no key update`)
}

async function endInForce(tx: Tx, line: LineKey, why: string): Promise<void> {
  const present = await lockOverride(tx, line, 'IN_FORCE')
  if (present) await move(tx, 'limit_override', [present], 'end', why)
}
