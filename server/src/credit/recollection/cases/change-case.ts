/** Changes the notes and actions of a case. */
import type { BodyInput, NewRecollectionAction } from '@headroom/contract'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readWireDay } from '../../../platform/kit/dates.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import { planAction } from './open-case.ts'
import {
  type ActionChange,
  type ActionRow,
  type CaseRow,
  changeAction,
  lockAction,
  lockCase,
  setNotes,
} from './store.ts'

/** Locks and returns a case; throws `resource_unknown`. */
export async function lockOwnCase(tx: Tx, partner_id: string, id: string): Promise<CaseRow> {
  const found = await lockCase(tx, partner_id, id)
  if (!found) throw problem('resource_unknown', 'There is no such recollection case.')
  return found
}

/** Like `lockOwnCase`; throws `state_conflict` if the case is closed. */
export async function lockOpenCase(tx: Tx, partner_id: string, id: string): Promise<CaseRow> {
  const found = await lockOwnCase(tx, partner_id, id)
  if (found.status !== 'OPEN') throw problem('state_conflict', 'The case is closed.')
  return found
}

/** Replaces the notes of a case, even if it is closed. */
export async function replaceNotes(
  tx: Tx,
  partner_id: string,
  id: string,
  notes: Record<string, unknown>,
): Promise<void> {
  await setNotes(tx, await lockOwnCase(tx, partner_id, id), notes)
}

export async function addAction(
  tx: Tx,
  partner_id: string,
  case_id: string,
  input: NewRecollectionAction,
): Promise<ActionRow> {
  const locked = await lockOpenCase(tx, partner_id, case_id)
  const due_on = readDay(input.due_at)
  const id = await planAction(tx, partner_id, case_id, input, due_on)
  return (await lockAction(tx, locked, id))!
}

type Change = BodyInput<'updateRecollectionAction'>

/** Changes an action, even in a closed case. Throws `state_conflict` if it is done or canceled. */
export async function updateAction(
  tx: Tx,
  partner_id: string,
  ids: { recollection_case_id: string; action_id: string },
  input: Change,
): Promise<ActionRow> {
  const locked = await lockOwnCase(tx, partner_id, ids.recollection_case_id)
  const action = await lockAction(tx, locked, ids.action_id)
  if (!action) throw problem('resource_unknown', 'There is no such action in this case.')
  if (action.status !== 'SCHEDULED') {
    throw problem('state_conflict', `The action is ${action.status}.`)
  }
  const { action_status, action_status_details, due_at, short_description } = input
  const change: ActionChange = {
    ...(action_status_details !== undefined && { details: action_status_details }),
    ...(short_description !== undefined && { description: short_description }),
    ...(due_at !== undefined && { due_on: readDay(due_at) }),
    ...(action_status !== undefined && { status_at: tx.now }),
  }
  await changeAction(tx, action, change)
  if (action_status) {
    const trigger = action_status === 'DONE' ? 'do' : 'cancel'
    await move(tx, 'recollection_action', [action], trigger)
  }
  return (await lockAction(tx, locked, action.id))!
}

function readDay(text: string) {
  const day = readWireDay(text)
  if (!day) throw invalid({ name: 'due_at', reason: 'is not a day' })
  return day
}
