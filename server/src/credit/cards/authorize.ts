/**
 * Decides card authorizations in real time, in batches of concurrent requests. An approval and its
 * hold commit in one transaction, under the locks of partner and credit line. A first request that
 * is declined is stored as an entry too.
 */
import { sql } from 'kysely'
import { changeLines } from '../../companies/credit-lines/index.ts'
import type { AuthorizationRequest } from '../../integrations/ports/card-issuer.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { asAuthorization, type NewEntry, newEntry } from './new-entry.ts'
import { authorizationFault } from './parse-card-event.ts'
import { entryView } from './queries.ts'
import { decideSpending, type SpendingRequest } from './rules.ts'
import { lockSpenders, reserveSpending, type Spender, situationOf } from './spenders.ts'
import { changeEntry, type EntryRow, insertEntries } from './store.ts'

/** The reply to the processor; `amount` is the total held for the authorization, in cents. */
export interface AuthorizationDecision {
  readonly authorization_id: string
  readonly approved: boolean
  readonly reason: string | null
  readonly amount: bigint
}

/** The reply to an invalid request, which is not recorded. */
const INVALID_REQUEST: AuthorizationDecision = {
  authorization_id: '',
  approved: false,
  reason: 'amount_invalid',
  amount: 0n,
}

/**
 * Decides requests in order; each sees the amounts held by those before it. An incremental
 * authorization raises the amount held. A repeat of a request whose decision is stored is not
 * decided again: its reply shows what the entry holds now. For an unknown card the reply is the
 * problem `resource_unknown`, and nothing is recorded.
 */
export async function authorize(
  tx: Tx,
  requests: readonly AuthorizationRequest[],
): Promise<(AuthorizationDecision | ProblemError)[]> {
  const spenders = await lockSpenders(
    tx,
    requests.map(request => request.provider_card_id),
  )
  const known = await readKnown(tx, requests)
  const answers: (AuthorizationDecision | ProblemError)[] = []
  const created: NewEntry[] = []
  for (const request of requests) {
    const spender = spenders.get(request.provider_card_id)
    const entry = known.get(request.authorization_ref)
    if (!spender) {
      answers.push(problem('resource_unknown', 'There is no such card.'))
    } else if (authorizationFault(request) || (entry && entry.card_id !== spender.id)) {
      answers.push(INVALID_REQUEST)
    } else if (!entry) {
      const fresh = decideNew(tx, spender, request)
      created.push(fresh)
      known.set(request.authorization_ref, fresh)
      answers.push(decisionOf(fresh))
    } else if (request.held_before === 0n) {
      answers.push(decisionOf(entry))
    } else {
      await writeNew(tx, created.splice(0))
      answers.push(await enlarge(tx, spender, entry, request))
    }
  }
  await writeNew(tx, created)
  return answers
}

async function readKnown(
  tx: Tx,
  requests: readonly AuthorizationRequest[],
): Promise<Map<string, EntryRow>> {
  const refs = requests.map(request => request.authorization_ref)
  const rows = await tx.all(sql<EntryRow>`
    select * from card_entries where ${haveNames('card_entries', 'authorization', refs)}`)
  return new Map(rows.map(row => [row.authorization_ref!, row]))
}

function spendingRequestOf(request: AuthorizationRequest): SpendingRequest {
  const { amount, held_before, currency, allow_partial, purchase } = request
  const { merchant_category } = purchase
  return { amount, held_before, currency, allow_partial, merchant_category }
}

/**
 * Decides a first request, builds its entry and deducts the approved amount from the spender's
 * limits.
 */
function decideNew(tx: Tx, spender: Spender, request: AuthorizationRequest): NewEntry {
  const { approved, amount, reason } = decideSpending(
    spendingRequestOf(request),
    situationOf(tx, spender),
  )
  reserveSpending(spender, amount)
  const state = approved ? 'open' : 'declined'
  return newEntry(tx, spender, request.purchase, tx.now, {
    amount: approved ? amount : request.amount,
    held: amount,
    currency: request.currency,
    status: approved ? 'pending' : 'declined',
    decline_reason: reason,
    ...asAuthorization(request.authorization_ref, state, amount, tx.now),
  })
}

/**
 * Decides an incremental authorization by the same checks as a first request. If it is declined,
 * the amount already held stays held, and nothing is stored.
 */
async function enlarge(
  tx: Tx,
  spender: Spender,
  entry: EntryRow,
  request: AuthorizationRequest,
): Promise<AuthorizationDecision> {
  if (entry.authorized >= request.held_before + request.amount) return decisionOf(entry)
  if (entry.status !== 'pending' || entry.authorization_state !== 'open') {
    return { ...decisionOf(entry), approved: false, reason: 'authorization_closed' }
  }
  const decision = decideSpending(spendingRequestOf(request), situationOf(tx, spender))
  if (!decision.approved) {
    return { ...decisionOf(entry), approved: false, reason: decision.reason }
  }
  reserveSpending(spender, decision.amount)
  const change = {
    authorized: entry.authorized + decision.amount,
    held: entry.held + decision.amount,
    amount: entry.amount + decision.amount,
  }
  await changeEntry(tx, entry, change)
  tx.pending.views.delete(entry.id)
  await hold(tx, [{ ...spender, held: decision.amount }])
  Object.assign(entry, change)
  return decisionOf(entry)
}

function decisionOf(entry: EntryRow): AuthorizationDecision {
  return {
    authorization_id: entry.id,
    approved: entry.status !== 'declined',
    reason: entry.decline_reason,
    amount: entry.held,
  }
}

async function writeNew(tx: Tx, created: readonly NewEntry[]): Promise<void> {
  if (created.length === 0) return
  const births = created.map(({ id, partner_id, status, decline_reason }) => ({
    id,
    partner_id,
    initial: initialStatus('card_entry', status === 'declined' ? ['decline'] : []),
    reason: decline_reason,
  }))
  // Events of the new entries use these views, so the rows are not read again.
  for (const entry of created) {
    tx.pending.views.set(entry.id, { partner_id: entry.partner_id, data: entryView(entry) })
  }
  insertEntries(tx, created)
  recordCreation(tx, births)
  await hold(tx, created)
}

function hold(
  tx: Tx,
  entries: readonly Pick<NewEntry, 'partner_id' | 'credit_line_id' | 'held'>[],
) {
  return changeLines(
    tx,
    entries.map(({ partner_id, credit_line_id, held }) => ({
      partner_id,
      credit_line_id,
      outstanding: 0n,
      reserved: held,
      card_pending: held,
    })),
  )
}
