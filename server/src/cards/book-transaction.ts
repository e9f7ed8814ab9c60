/** Money that cards moved, booked once: clearings, refunds, disputes. */
import { sql } from 'kysely'
import { changeLines } from '../credit-lines/index.ts'
import { type Actor, birth, move, recordBirths } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { parisDay } from '../kit/dates.ts'
import { type EntryKind, post, transferPostings } from '../ledger/index.ts'
import { openCardLoans, repayByCard } from '../loans/index.ts'
import type { TransactionNews } from '../ports/card-issuer.ts'
import { findAuthorization, settleHold } from './follow-authorization.ts'
import { asAuthorization, type NewEntry, newEntry } from './new-entry.ts'
import { takenBy } from './rules.ts'
import type { Spender } from './spenders.ts'
import { changeEntry, type EntryRow, insertEntries } from './store.ts'

/**
 * Books a movement and answers its entry's id; told again it changes nothing. The line is locked
 * by the caller. What is cleared is accepted whatever was authorised: it may exceed the line.
 */
export async function bookTransaction(
  tx: Tx,
  actor: Actor,
  spender: Spender,
  news: TransactionNews,
): Promise<string> {
  const known = await findTransaction(tx, news.transaction_ref)
  if (known) return known.id
  const { transaction_type: type } = news
  if (type === 'refund' || type === 'dispute') return credit(tx, actor, spender, news)
  const authorization =
    news.authorization_ref === null
      ? undefined
      : await findAuthorization(tx, news.authorization_ref)
  const entry_id = await clear(tx, actor, spender, news, authorization)
  await book(tx, spender, 'card_clearing', news, news.amount)
  if (authorization) {
    const now = await findAuthorization(tx, news.authorization_ref!)
    await settleHold(tx, actor, now!)
  }
  return entry_id
}

async function findTransaction(tx: Tx, ref: string): Promise<EntryRow | undefined> {
  return tx.maybe(sql<EntryRow>`select * from card_entries where transaction_ref = ${ref}`)
}

/** The first clearing completes the entry of its authorisation; any other is one of its own. */
async function clear(
  tx: Tx,
  actor: Actor,
  spender: Spender,
  news: TransactionNews,
  authorization: EntryRow | undefined,
): Promise<string> {
  const cleared = clearedBy(news, news.amount)
  const { status } = authorization ?? {}
  if (authorization && (status === 'pending' || status === 'reversed')) {
    const { merchant_amount, merchant_currency } = news.purchase
    await changeEntry(tx, authorization.id, { ...cleared, merchant_amount, merchant_currency })
    await move(tx, actor, 'card_entry', [authorization], 'clear')
    return authorization.id
  }
  const unheard = !authorization && news.authorization_ref !== null
  const row = newEntry(tx, spender, news.purchase, news.at, {
    ...cleared,
    currency: news.currency,
    transaction_type: news.transaction_type,
    ...(unheard ? asAuthorization(news.authorization_ref!, 'closed', 0n, news.at) : {}),
    authorization_entry_id: authorization?.id ?? null,
  })
  return insertCompleted(tx, actor, row)
}

function clearedBy(news: TransactionNews, amount: bigint) {
  const { transaction_ref, at } = news
  return { amount, transaction_ref, cleared_at: at, cleared_on: parisDay(at) }
}

async function insertCompleted(tx: Tx, actor: Actor, row: NewEntry): Promise<string> {
  const { id, partner_id } = row
  await insertEntries(tx, [{ ...row, status: 'completed' }])
  recordBirths(tx, actor, [{ id, partner_id, birth: birth('card_entry', ['clear']) }])
  return id
}

/**
 * Money comes back. What its purchase has not gone into a loan yet it lessens the running cycle;
 * otherwise it repays the loans of earlier ones, that of its purchase first, then the oldest, on
 * its clearing date (domain.md, Cases settled: Cards).
 */
async function credit(
  tx: Tx,
  actor: Actor,
  spender: Spender,
  news: TransactionNews,
): Promise<string> {
  const original = await findOriginal(tx, news)
  const row = newEntry(tx, spender, news.purchase, news.at, {
    ...clearedBy(news, -news.amount),
    currency: news.currency,
    transaction_type: news.transaction_type,
    disputed_entry_id: news.transaction_type === 'dispute' ? (original?.id ?? null) : null,
  })
  const named = news.authorization_ref !== null || news.disputed_ref !== null
  const running = named && (original?.loan_id ?? null) === null
  const entry_id = await insertCompleted(tx, actor, row)
  const repaid = running ? null : await repayLoans(tx, actor, spender, news, entry_id, original)
  const rest = news.amount - (repaid?.amount ?? 0n)
  const loan_id = rest === 0n ? repaid!.last_loan_id : null
  if (repaid) await changeEntry(tx, entry_id, { repaid: repaid.amount, loan_id })
  if (rest > 0n) await book(tx, spender, 'card_refund', news, -rest)
  return entry_id
}

async function findOriginal(tx: Tx, news: TransactionNews): Promise<EntryRow | undefined> {
  if (news.disputed_ref !== null) return findTransaction(tx, news.disputed_ref)
  if (news.authorization_ref !== null) return findAuthorization(tx, news.authorization_ref)
  return undefined
}

async function repayLoans(
  tx: Tx,
  actor: Actor,
  spender: Spender,
  news: TransactionNews,
  entry_id: string,
  original: EntryRow | undefined,
) {
  const loans = await openCardLoans(tx, spender.credit_line_id)
  const ofOriginal = (loan: { id: string }) => (loan.id === original?.loan_id ? 0 : 1)
  let left = news.amount
  let last_loan_id: string | null = null
  for (const { id, owed } of loans.toSorted((a, b) => ofOriginal(a) - ofOriginal(b))) {
    if (left === 0n) break
    const amount = owed < left ? owed : left
    await repayByCard(tx, actor, id, { entry_id, amount, value_on: parisDay(news.at) })
    left -= amount
    last_loan_id = id
  }
  return { amount: news.amount - left, last_loan_id }
}

/** Carries spending (below zero: money back) of the running cycle into books and line. */
async function book(
  tx: Tx,
  spender: Spender,
  kind: EntryKind,
  news: TransactionNews,
  amount: bigint,
): Promise<void> {
  const { partner_id, borrower_id, credit_line_id, card_spent } = spender
  await post(tx, [
    {
      ...{ kind, partner_id, value_on: parisDay(news.at) },
      postings: transferPostings(
        { code: 'card_receivable', owner_id: borrower_id },
        { code: 'card_settlement', owner_id: null },
        amount,
      ),
    },
  ])
  const outstanding = takenBy(card_spent + amount) - takenBy(card_spent)
  spender.card_spent += amount
  await changeLines(tx, [{ credit_line_id, outstanding, reserved: 0n, card_spent: amount }])
}
