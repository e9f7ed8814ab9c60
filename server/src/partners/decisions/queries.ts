/** Reads decisions, their steps and attempts. */
import type {
  Decision,
  DecisionAttempt,
  PlannedOperation,
  WaitingDecision,
} from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { haveKeys, ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import {
  type ExtraBytes,
  newestFirst,
  type Page,
  type PageRequest,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { ResourceView, Tx } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { problem } from '../../platform/kit/problem.ts'
import type { PlannedStep } from './match-step.ts'
import { type DecisionState, SINGLES_MAX, statusAt } from './rules.ts'

export interface DecisionUse {
  readonly partner_id: string
  readonly decision_id: string
}

export type DecisionRow = DecisionState & {
  readonly partner_id: string
}

interface ViewRow extends DecisionRow {
  size_bytes: number
  title: string
  rationale: string
  created_at: Date
  comment: string | null
  reviewed_at: Date | null
  executed_at: Date | null
  reviewer_id: string | null
  proposer_name: string
  reviewer_name: string | null
}

/** The size of the steps' JSON in bytes, which limits a page. */
const bytesOfSteps: ExtraBytes<ViewRow> = row => row.size_bytes

type StepRow = PlannedStep & {
  readonly decision_id: string
  readonly response_status: number | null
  readonly executed_at: Date | null
}

const selectViews = (more: RawBuilder<unknown> = sql``) => sql`
  select d.*, p.name as proposer_name, r.name as reviewer_name ${more}
  from decisions d join callers p on p.partner_id = d.partner_id and p.id = d.proposer_id
  left join callers r on r.partner_id = d.partner_id and r.id = d.reviewer_id`

/** The decision, or undefined; with `lock`, it cannot change until the commit. */
export function findDecision(
  tx: Tx,
  { partner_id, decision_id }: DecisionUse,
  lock = false,
): Promise<DecisionRow | undefined> {
  return tx.maybe(sql<DecisionRow>`
    select id, partner_id, status, proposer_id, version, expires_at from decisions
    where partner_id = ${partner_id} and id = ${decision_id}
    ${lock ? sql`for no key update` : sql``}`)
}

/** Locks a partner's decision until the commit. Throws `resource_unknown`. */
export async function lockDecision(tx: Tx, use: DecisionUse): Promise<DecisionRow> {
  const row = await findDecision(tx, use, true)
  if (!row) throw problem('resource_unknown', `There is no decision ${use.decision_id}.`)
  return row
}

/** The decision's partner, for lender operators. Throws `resource_unknown`. */
export async function partnerOf(tx: Tx, decision_id: string): Promise<string> {
  const row = isUuid(decision_id)
    ? await tx.maybe(sql<{ partner_id: string }>`
        select partner_id from decisions
        where ${ofEachPartner('decisions')} and id = ${decision_id}`)
    : undefined
  if (!row) throw problem('resource_unknown', `There is no decision ${decision_id}.`)
  return row.partner_id
}

/** Whether this lender operator proposed the decision, as a caller of its partner. */
export async function wasProposedBy(
  tx: Tx,
  { partner_id, proposer_id }: DecisionRow,
  operator_id: string,
): Promise<boolean> {
  const same = await tx.maybe(sql`
    select 1 from callers
    where partner_id = ${partner_id} and id = ${proposer_id} and operator_id = ${operator_id}`)
  return same !== undefined
}

/** A page of decisions that wait for review, oldest first, each with its partner. */
export async function pageOfWaitingDecisions(
  tx: Tx,
  request: PageRequest,
): Promise<Page<WaitingDecision>> {
  const page = await readPage(
    tx,
    request,
    { ...newestFirst(sql`d.id`), direction: 'asc' },
    (where, key) => sql<ViewRow & { partner: string }>`
      ${selectViews(sql`, w.name as partner, ${key}`)} join partners w on w.id = d.partner_id
      where d.status = 'PROPOSED' and d.expires_at > ${tx.now} and ${where}`,
    bytesOfSteps,
  )
  const views = await viewsOf(tx, page.data)
  const data = views.map((view, i) => {
    const { partner_id, partner } = page.data[i]!
    return { ...view, partner_id, partner }
  })
  return { ...page, data }
}

export async function readSteps(tx: Tx, decisions: readonly RowKey[]): Promise<StepRow[]> {
  return tx.all(sql<StepRow>`
    select * from decision_steps where ${haveKeys(decisions, 'decision_steps', 'decision_id')}
    order by decision_id, step`)
}

/** A partner's decision as an API view. Throws `resource_unknown`. */
export async function readDecision(tx: Tx, use: DecisionUse): Promise<Decision> {
  const rows = await tx.all(sql<ViewRow>`
    ${selectViews()} where d.partner_id = ${use.partner_id} and d.id = ${use.decision_id}`)
  const [view] = await viewsOf(tx, rows)
  if (!view) throw problem('resource_unknown', `There is no decision ${use.decision_id}.`)
  return view
}

/** Views of decisions for events. */
export async function decisionViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(sql<ViewRow>`${selectViews()} where ${haveKeys(keys, 'd')}`)
  const views = await viewsOf(tx, rows)
  return new Map(rows.map(({ id, partner_id }, i) => [id, { partner_id, data: { ...views[i]! } }]))
}

export async function pageOfDecisions(
  tx: Tx,
  partner_id: string,
  statuses: readonly string[] | undefined,
  request: PageRequest,
): Promise<Page<Decision>> {
  const now = sql`case when d.status in ('PROPOSED', 'APPROVED') and d.expires_at <= ${tx.now}
    then 'EXPIRED' else d.status end`
  const wanted = statuses ? sql`${now} = any (${statuses}::text[])` : sql`true`
  const page = await readPage(
    tx,
    request,
    newestFirst(sql`d.id`),
    (where, key) => sql<ViewRow>`${selectViews(sql`, ${key}`)}
      where d.partner_id = ${partner_id} and ${wanted} and ${where}`,
    bytesOfSteps,
  )
  return { ...page, data: await viewsOf(tx, page.data) }
}

async function viewsOf(tx: Tx, rows: readonly ViewRow[]): Promise<Decision[]> {
  if (rows.length === 0) return []
  // Shows the lender's name, because partners do not see which operator acted.
  const lender = tx.settings.lender.name
  const steps = await readSteps(tx, rows)
  const byDecision = Map.groupBy(steps, step => step.decision_id)
  return rows.map(row => ({
    id: row.id,
    status: statusAt(row, tx.now),
    title: row.title,
    rationale: row.rationale,
    version: row.version,
    proposer: { id: row.proposer_id, name: row.proposer_name },
    reviewer: row.reviewer_id && { id: row.reviewer_id, name: row.reviewer_name ?? lender },
    comment: row.comment,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    reviewed_at: row.reviewed_at?.toISOString() ?? null,
    executed_at: row.executed_at?.toISOString() ?? null,
    operations: (byDecision.get(row.id) ?? []).map(stepView),
  })) as Decision[]
}

function stepView(row: StepRow): PlannedOperation {
  const { step, method, path, body, status, response_status, response_json } = row
  const executed_at = row.executed_at?.toISOString() ?? null
  const response =
    response_status === null ? null : { status: response_status, json: response_json }
  return { step, method, path, body, status, executed_at, response }
}

type AttemptRow = Omit<DecisionAttempt, 'at' | 'caller' | 'repeats' | 'last_at'> & {
  at: Date
  repeats: bigint
  last_at: Date | null
  caller_id: string
  caller_name: string
}

export async function pageOfAttempts(
  tx: Tx,
  partner_id: string,
  filter: { decision_id?: string | undefined; outcome?: readonly string[] | undefined },
  request: PageRequest,
): Promise<Page<DecisionAttempt>> {
  const { decision_id, outcome } = filter
  const one = decision_id ? sql`a.decision_id = ${decision_id}` : sql`true`
  const wanted = outcome ? sql`a.outcome = any (${outcome}::text[])` : sql`true`
  const page = await readPage(
    tx,
    request,
    newestFirst(sql`a.id`),
    (where, key) => sql<AttemptRow>`
      select a.id, a.at, a.caller_id, c.name as caller_name, a.decision_id, a.step, a.method,
        a.path, a.outcome, a.code, a.request_id, coalesce(n.more, 0) as repeats, n.last_at, ${key}
      from decision_attempts a join callers c on c.partner_id = a.partner_id and c.id = a.caller_id
      left join lateral (
        select greatest(0, t.count - ${SINGLES_MAX}) as more, t.last_at from attempt_counts t
        where t.partner_id = a.partner_id and t.attempt_id = a.id) n on true
      where a.partner_id = ${partner_id} and ${one} and ${wanted} and ${where}`,
  )
  return viewPage(page, ({ at, caller_id, caller_name, repeats, last_at, ...row }) => ({
    id: row.id,
    at: at.toISOString(),
    caller: { id: caller_id, name: caller_name },
    decision_id: row.decision_id,
    step: row.step,
    method: row.method,
    path: row.path,
    outcome: row.outcome,
    code: row.code,
    request_id: row.request_id,
    repeats: Number(repeats),
    last_at: (repeats > 0n && last_at ? last_at : at).toISOString(),
  }))
}
