/** Builds new entries from their card and from the processor's data. */
import type { Insertable } from 'kysely'
import type { LockedLine } from '../../companies/credit-lines/index.ts'
import type {
  AuthorizationState,
  Purchase,
  TransactionNews,
} from '../../integrations/ports/card-issuer.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, parisDay } from '../../platform/kit/dates.ts'
import { AUTHORIZATION_DAYS } from './rules.ts'
import type { Spender } from './spenders.ts'
import { type EntryRow, insertEntries } from './store.ts'

export type NewEntry = EntryRow &
  Insertable<DB['card_entries']> & { readonly credit_line_id: LockedLine }

/** A pending entry that holds nothing yet; `own` overrides its fields. */
export function newEntry(
  tx: Tx,
  spender: Spender,
  purchase: Purchase,
  at: Date,
  own: Partial<Omit<EntryRow, 'credit_line_id'>> & Pick<EntryRow, 'amount' | 'currency'>,
): NewEntry {
  return {
    id: tx.newId(),
    partner_id: spender.partner_id,
    borrower_id: spender.borrower_id,
    credit_line_id: spender.credit_line_id,
    card_id: spender.id,
    status: 'pending',
    transaction_type: 'payment',
    held: 0n,
    ...purchase,
    decline_reason: null,
    authorization_ref: null,
    transaction_ref: null,
    authorization_entry_id: null,
    authorization_state: null,
    authorized: 0n,
    news_rank: 0n,
    told_cleared: [],
    original_ref: null,
    lapses_on: null,
    cleared_on: null,
    cleared_at: null,
    repaid: 0n,
    loan_id: null,
    created_at: at,
    ...own,
  }
}

/** The authorization fields of an entry. The authorization lapses a week after `at`. */
export function asAuthorization(
  authorization_ref: string,
  authorization_state: AuthorizationState,
  authorized: bigint,
  at: Date,
) {
  const lapses_on = addDays(parisDay(at), AUTHORIZATION_DAYS)
  return { authorization_ref, authorization_state, authorized, lapses_on }
}

/** The clearing fields of an entry. `amount` in cents, negative if money is returned. */
export function clearedBy({ transaction_ref, at }: TransactionNews, amount: bigint) {
  return { amount, transaction_ref, cleared_at: at, cleared_on: parisDay(at) }
}

export function insertCompleted(tx: Tx, row: NewEntry): string {
  const { id, partner_id } = row
  insertEntries(tx, [{ ...row, status: 'completed' }])
  recordCreation(tx, [{ id, partner_id, initial: initialStatus('card_entry', ['clear']) }])
  return id
}
