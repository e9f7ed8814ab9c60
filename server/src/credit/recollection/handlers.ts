/** Handlers of the operations on cases and plans. */
import { type CheckedHandler, type Handler, Reply } from '../../context.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { problem } from '../../platform/kit/problem.ts'
import { addAction, replaceNotes, updateAction } from './cases/change-case.ts'
import { type CheckedCase, checkCase, openCase } from './cases/open-case.ts'
import { findCaseView, listRecollectionCases, viewAction } from './cases/queries.ts'
import { findRepeat, type ReferenceMatch } from './client-references.ts'
import { caseDebts } from './plans/debts.ts'
import { closeCaseManually } from './plans/end-plans.ts'
import { planHandlers } from './plans/plan-handlers.ts'

const REPLAYED = { headers: { 'idempotent-replayed': 'true' } }

async function answerCase(tx: Tx, partner_id: string, id: string) {
  const view = await findCaseView(tx, partner_id, id)
  if (!view) throw problem('resource_unknown', 'There is no such recollection case.')
  return view
}

const createRecollectionCase: CheckedHandler<
  'createRecollectionCase',
  ReferenceMatch<CheckedCase>
> = {
  check: (tx, { body, caller: { partner_id } }) => {
    const salted = { table: 'recollection_cases', partner_id, salt_id: body.salt_id } as const
    return findRepeat(tx, { ...salted, content: body }, () => checkCase(tx, partner_id, body))
  },
  handle: async (tx, { body, caller, meaning }) => {
    const replayed = 'repeat' in meaning
    const id = replayed ? meaning.repeat : await openCase(tx, caller.partner_id, body, meaning)
    const view = await findCaseView(tx, caller.partner_id, id)
    assert(view, 'the case was just written')
    return replayed ? new Reply(view, REPLAYED) : view
  },
}

const getRecollectionCase: Handler<'getRecollectionCase'> = (tx, { params, caller }) =>
  answerCase(tx, caller.partner_id, params.recollection_case_id)

const getRecollectionCaseDebts: Handler<'getRecollectionCaseDebts'> = async (tx, call) => {
  const found = await answerCase(tx, call.caller.partner_id, call.params.recollection_case_id)
  return caseDebts(tx, { partner_id: call.caller.partner_id, id: found.id }, found)
}

const updateRecollectionCase: Handler<'updateRecollectionCase'> = async (tx, call) => {
  const { params, body, caller } = call
  const id = params.recollection_case_id
  await replaceNotes(tx, caller.partner_id, id, body.recollection_notes)
  return answerCase(tx, caller.partner_id, id)
}

const addRecollectionAction: Handler<'addRecollectionAction'> = async (tx, call) => {
  const { params, body, caller } = call
  return viewAction(await addAction(tx, caller.partner_id, params.recollection_case_id, body))
}

const updateRecollectionAction: Handler<'updateRecollectionAction'> = async (tx, call) =>
  viewAction(await updateAction(tx, call.caller.partner_id, call.params, call.body))

const closeRecollectionCase: Handler<'closeRecollectionCase'> = async (tx, call) => {
  const { params, body, caller } = call
  await closeCaseManually(tx, caller.partner_id, params.recollection_case_id, body.reason)
  return answerCase(tx, caller.partner_id, params.recollection_case_id)
}

export const recollectionHandlers = {
  createRecollectionCase,
  listRecollectionCases,
  getRecollectionCase,
  getRecollectionCaseDebts,
  updateRecollectionCase,
  addRecollectionAction,
  updateRecollectionAction,
  closeRecollectionCase,
  ...planHandlers,
}
