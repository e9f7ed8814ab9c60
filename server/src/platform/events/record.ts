/** Writes the events recorded in a transaction, in order. */
import { type EventName, eventTypes, type UpdatedResource } from '@headroom/contract'
import { keysBy, type RowKey } from '../db/of-partner.ts'
import type { JsonObject } from '../db/schema.ts'
import type { FigureChange, PendingEvent, ResourceView, Tx } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'
import { withoutSignatures } from '../kit/signed-address.ts'

export type { ResourceView }

/**
 * For each kind of resource, reads the views for its events, by id. A kind precedes the kinds that
 * show it.
 */
export type EventViews = Record<
  string,
  (tx: Tx, keys: readonly RowKey[]) => Promise<Map<string, ResourceView>>
>

/** Records an event that is not a status change, e.g. CreditLine.BALANCE_UPDATED. */
export function recordEvent(
  tx: Tx,
  resource: string,
  { partner_id, id: resource_id }: RowKey,
  type: string,
  overlay: Record<string, unknown> = {},
): void {
  const { events } = tx.pending
  const same = events.some(e => e.resource_id === resource_id && e.type === type)
  if (!same) events.push({ resource, resource_id, partner_id, type, overlay })
}

/** The type of event for changes that have no specific event, by resource. */
const UPDATES = new Map(
  Object.entries(eventTypes).flatMap(([type, { resource, ...of }]) =>
    'is_update' in of ? [[resource as UpdatedResource, type] as const] : [],
  ),
)
const UPDATE_TYPES = new Set(UPDATES.values())

/** Records a change in a resource's GET that is not a change of status. */
export function recordUpdate(tx: Tx, resource: UpdatedResource, key: RowKey): void {
  recordEvent(tx, resource, key, UPDATES.get(resource)!)
}

/**
 * Records changes, in cents, of figures that a resource's GET shows. If a figure differs at the end
 * of the transaction, the resource gets an update event, or, if a figure in `rises` has gone up,
 * that figure's event.
 */
export function recordFigures(
  tx: Tx,
  resource: UpdatedResource,
  { partner_id, id: resource_id }: RowKey,
  changes: Readonly<Record<string, bigint>>,
  rises: Readonly<Record<string, EventName>> = {},
): void {
  for (const [figure, cents] of Object.entries(changes)) {
    if (cents === 0n) continue
    const rise = rises[figure]
    tx.pending.figures.push({ resource, resource_id, partner_id, figure, cents, rise })
  }
}

/**
 * Reuses a resource just read for the response, so that it is not read again. Only valid if it no
 * longer changes before the commit.
 */
export function setEventView(tx: Tx, resource_id: string, view: ResourceView): void {
  tx.pending.views.set(resource_id, view)
}

/** Sets `updated_at` of a kind's resources whose figures changed and that get only an update. */
export type EventDates = Partial<
  Record<UpdatedResource, (tx: Tx, keys: readonly RowKey[]) => Promise<void>>
>

/** Returns the function that writes a transaction's events just before its commit. */
export function recordEvents(views: EventViews, dates: EventDates): (tx: Tx) => Promise<void> {
  return async tx => {
    await completeEvents(tx, dates)
    const { events } = tx.pending
    if (events.length === 0) return
    const snapshots = await takeSnapshots(tx, views, events)
    const last = new Map(events.map(event => [event.resource_id, event]))
    const complete = events.flatMap(event => {
      const { resource, resource_id } = event
      const snapshot = snapshots.get(resource_id)
      assert(snapshot, `${resource} ${resource_id} is gone before its event`)
      const changes_status = Object.keys(event.overlay).length > 0
      if (!changes_status && !showsChange(snapshot)) return []
      // The last event shows the resource as GET does, whose status may differ from the stored one.
      const overlay = event === last.get(resource_id) ? {} : event.overlay
      return [{ ...event, overlay, id: tx.newId(), snapshot }]
    })
    insertEvents(tx, complete)
  }
}

/**
 * Adds update events for changed figures. Drops updates of resources with another event, because
 * that event shows the same state.
 */
async function completeEvents(tx: Tx, dates: EventDates): Promise<void> {
  const { events, figures } = tx.pending
  const by_figures = updatedBy(figures)
  const isUpdate = ({ type }: PendingEvent) => UPDATE_TYPES.has(type)
  const named = new Set(events.filter(one => !isUpdate(one)).map(one => one.resource_id))
  for (const { resource, partner_id, resource_id: id, rise } of by_figures) {
    if (named.has(id)) continue
    if (rise) {
      named.add(id)
      recordEvent(tx, resource, { partner_id, id }, rise)
    } else recordUpdate(tx, resource, { partner_id, id })
  }
  const kept = events.filter(one => !isUpdate(one) || !named.has(one.resource_id))
  events.splice(0, events.length, ...kept)
  for (const [resource, group] of Map.groupBy(by_figures, one => one.resource)) {
    const keys = keysBy(group, 'resource_id').filter(({ id }) => !named.has(id))
    if (keys.length > 0) await dates[resource]?.(tx, keys)
  }
}

/**
 * One change for each resource with a figure whose changes do not cancel out. `rise` is the event
 * of a figure that has gone up, if there is one.
 */
function updatedBy(figures: readonly FigureChange[]): FigureChange[] {
  return [...Map.groupBy(figures, one => one.resource_id).values()].flatMap(own => {
    const sums = [...Map.groupBy(own, one => one.figure).values()].map(same => ({
      rise: same[0]!.rise,
      cents: same.reduce((sum, { cents }) => sum + cents, 0n),
    }))
    if (sums.every(({ cents }) => cents === 0n)) return []
    return [{ ...own[0]!, rise: sums.find(({ rise, cents }) => rise && cents > 0n)?.rise }]
  })
}

/**
 * Whether a resource differs from its last event; true if its view has not read that event.
 * `updated_at` alone does not count as a change.
 */
function showsChange({ data, last_shown }: ResourceView): boolean {
  if (!last_shown) return true
  const [before, after] = [last_shown, data].map(one =>
    withoutSignatures(JSON.stringify({ ...one, updated_at: null })),
  )
  return before !== after
}

type Snapshot = ResourceView & { readonly id: string }

/**
 * The current state of every resource that the events are about, in event order. Also records
 * updates of the resources that show them, whose kinds come later in `views`.
 */
async function takeSnapshots(
  tx: Tx,
  views: EventViews,
  events: readonly PendingEvent[],
): Promise<Map<string, Snapshot>> {
  const byId = new Map(tx.pending.views)
  for (const [resource, view] of Object.entries(views)) {
    const unread = events.filter(e => e.resource === resource && !byId.has(e.resource_id))
    const keys = new Map(
      unread.map(e => [e.resource_id, { partner_id: e.partner_id, id: e.resource_id }]),
    )
    if (keys.size === 0) continue
    const read = await view(tx, [...keys.values()])
    for (const [id, one] of read) byId.set(id, one)
    updateShowing(tx, [...read.values()])
  }
  // Assigns the ids in event order.
  const recorded_ids = new Set(events.map(event => event.resource_id))
  const snapshots = [...recorded_ids].flatMap(id => {
    const view = byId.get(id)
    return view ? [[id, { ...view, id: tx.newId() }] as const] : []
  })
  return new Map(snapshots)
}

/** Records updates of the resources that show the viewed ones and have no event yet. */
function updateShowing({ pending }: Tx, views: readonly ResourceView[]): void {
  const named = new Set(pending.events.map(event => event.resource_id))
  for (const { partner_id, shown_in } of views) {
    if (!shown_in) continue
    const { resource, ids } = shown_in
    const type = UPDATES.get(resource)!
    for (const resource_id of ids.filter(id => !named.has(id))) {
      named.add(resource_id)
      pending.events.push({ resource, resource_id, partner_id, type, overlay: {} })
    }
  }
}

export interface EventWithSnapshot {
  readonly id: string
  readonly type: string
  readonly resource_id: string
  readonly overlay: Record<string, unknown>
  readonly snapshot: Snapshot
}

/** Adds events. Their positions in the feed are assigned after the commit. */
export function insertEvents(tx: Tx, events: readonly EventWithSnapshot[]): void {
  const snapshots = [...new Set(events.map(e => e.snapshot))]
  tx.append(
    'event_snapshots',
    snapshots.map(({ id, partner_id, data }) => ({ id, partner_id, data: data as JsonObject })),
  )
  const rows = events.map(({ id, type, resource_id, snapshot, overlay }) => ({
    id,
    partner_id: snapshot.partner_id,
    type,
    resource_id,
    snapshot_id: snapshot.id,
    overlay: overlay as JsonObject,
    at: tx.now,
  }))
  tx.append('events', rows)
  tx.append(
    'events_unplaced',
    rows.map(({ id: event_id, partner_id, type, resource_id }) => ({
      event_id,
      partner_id,
      type,
      resource_id,
    })),
  )
}
