/**
 * Follows authorizations and the amounts they hold: applies news in whatever order it arrives, and
 * releases holds that do not clear within a week.
 */
import { sql } from 'kysely'
import { changeLines, lockExposure } from '../../companies/credit-lines/index.ts'
import type { AuthorizationNews } from '../../integrations/ports/card-issuer.ts'
import { initialStatus, move, recordCreation } from '../../platform/db/move.ts'
import { followKey, haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { asAuthorization, newEntry } from './new-entry.ts'
import { heldAmount } from './rules.ts'
import type { Spender } from './spenders.ts'
import { changeEntry, type EntryRow, insertEntries, releaseEntries } from './store.ts'

/**
 * Applies news of an authorization; outdated news changes nothing. The caller has locked the credit
 * line.
 */
export async function followAuthorization(
  tx: Tx,
  spender: Spender,
  news: AuthorizationNews,
): Promise<void> {
  const known = await findAuthorization(tx, spender, news.authorization_ref)
  if (!known) {
    await recordUnaskedAuthorization(tx, spender, news)
  } else if (news.rank > known.news_rank) {
    // News of a closed authorization carries no amount; its clearing does.
    const authorized = news.state === 'closed' ? known.authorized : news.amount
    const change = {
      authorized,
      authorization_state: news.state,
      news_rank: news.rank,
      told_cleared: [...new Set([...known.told_cleared, ...news.cleared])],
      ...(known.status === 'pending' && news.state === 'open' ? { amount: authorized } : {}),
    }
    await changeEntry(tx, known, change)
    await settleHold(tx, spender, { ...known, ...change })
  }
}

export async function findAuthorization(
  tx: Tx,
  { partner_id }: Spender,
  ref: string,
): Promise<EntryRow | undefined> {
  return tx.maybe(sql<EntryRow>`
    select * from card_entries where partner_id = ${partner_id} and authorization_ref = ${ref}`)
}

/**
 * Creates the entry of an authorization that we did not decide, for example one that the processor
 * approved on our behalf.
 */
async function recordUnaskedAuthorization(tx: Tx, spender: Spender, news: AuthorizationNews) {
  const { purchase, at, amount, currency, rank, cleared, state } = news
  const declined = state === 'declined'
  const row = newEntry(tx, spender, purchase, at, {
    amount,
    currency,
    news_rank: rank,
    told_cleared: [...cleared],
    ...asAuthorization(news.authorization_ref, state, amount, at),
    status: declined ? 'declined' : 'pending',
    decline_reason: declined ? 'processor_declined' : null,
  })
  insertEntries(tx, [row])
  const { id, partner_id, decline_reason: reason } = row
  const initial = initialStatus('card_entry', declined ? ['decline'] : [])
  recordCreation(tx, [{ id, partner_id, initial, reason }])
  await settleHold(tx, spender, row)
}

interface Cleared {
  cleared: boolean
  cleared_since: bigint
}

/** Recomputes the amount an authorization holds, and its status, from everything known about it. */
export async function settleHold(tx: Tx, spender: Spender, entry: EntryRow): Promise<void> {
  const { authorization_state: state, lapses_on } = entry
  if (state === null || lapses_on === null) return
  const sums = await tx.one(sql<Cleared>`
    select count(*) > 0 as cleared, coalesce(sum(amount) filter (
      where not transaction_ref = any(${entry.told_cleared}::text[])), 0)::bigint as cleared_since
    from card_entries where partner_id = ${entry.partner_id} and transaction_ref is not null
      and (id = ${entry.id} or authorization_entry_id = ${entry.id})`)
  const status = await settleStatus(tx, spender, entry, sums.cleared)
  const is_open = status === 'pending' || status === 'completed'
  const authorization = { ...entry, ...sums, authorization_state: state, lapses_on }
  const held = is_open
    ? heldAmount(authorization as Parameters<typeof heldAmount>[0], tx.today)
    : 0n
  if (held === entry.held) return
  await changeEntry(tx, entry, { held })
  await holdMore(tx, spender, held - entry.held)
}

async function settleStatus(tx: Tx, spender: Spender, entry: EntryRow, cleared: boolean) {
  const { status, authorization_state: state } = entry
  if (status === 'pending' && !cleared && (state === 'reversed' || state === 'declined')) {
    await dropHold(tx, spender, entry)
    const trigger = state === 'reversed' ? 'reverse' : 'decline'
    const reason = state === 'declined' ? 'processor_declined' : null
    if (reason) await changeEntry(tx, entry, { decline_reason: reason })
    return (await move(tx, 'card_entry', [entry], trigger, reason))[0]!
  }
  if (status === 'declined' && (state === 'open' || state === 'closed')) {
    return (await move(tx, 'card_entry', [entry], 'honour', 'approved by the processor'))[0]!
  }
  return status
}

/**
 * A reversed or declined entry must hold nothing, so the hold is released before the transition.
 */
async function dropHold(tx: Tx, spender: Spender, entry: EntryRow): Promise<void> {
  if (entry.held === 0n) return
  await changeEntry(tx, entry, { held: 0n })
  await holdMore(tx, spender, -entry.held)
  entry.held = 0n
}

function holdMore(
  tx: Tx,
  { partner_id, credit_line_id }: Spender,
  difference: bigint,
): Promise<void> {
  const held = { outstanding: 0n, reserved: difference, card_pending: difference }
  return changeLines(tx, [{ partner_id, credit_line_id, ...held }])
}

const SLICE = 200

/** Releases authorizations on the day they lapse. A later clearing is still accepted. */
export function lapseAuthorizations(today: Day): Paged {
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select partner_id, id from card_entries
      where (held > 0 or status = 'pending') and lapses_on <= ${today}
        and ${followKey(after, 'card_entries')}
      order by partner_id, id limit ${SLICE}`)
  return keyedJob('authorisations to lapse', read, lapseBatch)
}

async function lapseBatch(tx: Tx, keys: readonly RowKey[]): Promise<number> {
  const owners = await tx.all(sql<Pick<EntryRow, 'partner_id' | 'borrower_id'>>`
    select partner_id, borrower_id from card_entries where ${haveKeys(keys, 'card_entries')}
    order by id`)
  const locked = await lockExposure(
    tx,
    owners.map(e => e.partner_id),
    keysBy(owners, 'borrower_id'),
  )
  // Read again under the lock, because entries may have changed since the page was read.
  const entries = await tx.all(sql<EntryRow>`
    select * from card_entries where ${haveKeys(keys, 'card_entries')}
      and (held > 0 or status = 'pending') order by id`)
  await releaseEntries(tx, entries)
  const pending = entries.filter(e => e.status === 'pending')
  await move(tx, 'card_entry', pending, 'reverse', 'lapsed')
  await changeLines(
    tx,
    entries.map(({ partner_id, credit_line_id, held }) => ({
      partner_id,
      credit_line_id: locked.line(credit_line_id),
      outstanding: 0n,
      reserved: -held,
      card_pending: -held,
    })),
  )
  return entries.length
}
