/**
 * Books money returned to a card by a refund or dispute. It first offsets what its purchase cleared
 * in the current cycle. The excess repays loans of earlier cycles on the clearing date: first the
 * purchase's loan, then the others in order of original due date. The rest stays on the line as a
 * credit for later purchases, until it is refunded (refund-card-credits.ts).
 */
import { sql } from 'kysely'
import type { LoanMoneyChange } from '../../facts.ts'
import type { TransactionNews } from '../../integrations/ports/card-issuer.ts'
import { haveKeys, keysBy } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, parisDay } from '../../platform/kit/dates.ts'
import { minAmount } from '../../platform/kit/money.ts'
import type { EntryKind } from '../../platform/ledger/index.ts'
import { openCardLoans, repayByCard } from '../loans/index.ts'
import { clearedBy, insertCompleted, newEntry } from './new-entry.ts'
import type { Spender } from './spenders.ts'
import { bookSpending, type SpentLine } from './spending.ts'
import { type EntryRepaid, type EntryRow, setRepaid } from './store.ts'

/** Books returned money and returns its entry's id. The caller has locked the credit line. */
export async function bookCredit(tx: Tx, spender: Spender, news: TransactionNews): Promise<string> {
  const { amount, transaction_type } = news
  const value_on = parisDay(news.at)
  const original_ref = news.disputed_ref ?? news.authorization_ref
  const purchase = original_ref === null ? null : await readPurchase(tx, spender, original_ref)
  const beyond = purchase ? minAmount(amount, surplusOf(purchase, amount)) : amount
  const shares = await sharesOf(tx, spender, beyond, purchase?.loan_id ?? null)
  const repaid = sumOf(shares)
  const row = newEntry(tx, spender, news.purchase, news.at, {
    ...clearedBy(news, -amount),
    currency: news.currency,
    transaction_type,
    original_ref,
    repaid,
    loan_id: repaid === amount ? shares.at(-1)!.loan_id : null,
  })
  const entry_id = insertCompleted(tx, row)
  await repayLoans(tx, { partner_id: spender.partner_id, entry_id, value_on }, shares)
  const rest = amount - repaid
  if (rest > 0n) await bookSpending(tx, spender, 'card_refund', [{ value_on, amount: -rest }])
  return entry_id
}

/**
 * Repays loans with the money returned in excess of what a purchase cleared in the current cycle.
 * Also called when a purchase clears, because its refund may have been reported first.
 */
export async function applySurplusOfPurchase(
  tx: Tx,
  line: SpentLine,
  transaction_ref: string,
): Promise<void> {
  const purchase = await readPurchase(tx, line, transaction_ref)
  const beyond = surplusOf(purchase)
  if (beyond > 0n)
    await applyCreditToLoans(tx, line, beyond, sql`original_ref = any(${purchase.refs})`)
}

const RETURNS: readonly EntryKind[] = ['repayment_returned', 'recovery_returned']

/** Once repayments have been returned, repays their loans from the credits of the line's cards. */
export async function followReturnedRepayments(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const returned = changes.filter(({ kind }) => RETURNS.includes(kind))
  const lines = returned.flatMap(({ partner_id, credit_line_id }) =>
    credit_line_id === null ? [] : [{ partner_id, credit_line_id }],
  )
  if (lines.length > 0) await applyCardSurplus(tx, lines)
}

type LineKey = Pick<SpentLine, 'partner_id' | 'credit_line_id'>

/**
 * Unused cents, above zero, returned in a line's current cycle for one purchase, or without a
 * reference to a purchase (`original_ref` is null).
 */
export interface Credit extends SpentLine {
  readonly original_ref: string | null
  readonly amount: bigint
}

/**
 * Repays open loans with money returned without a purchase, or in excess of what its purchase
 * cleared in the current cycle, then with any remaining credit of the lines' cards. The caller has
 * locked the lines.
 */
export async function applyCardSurplus(tx: Tx, lines: readonly LineKey[]): Promise<void> {
  const credits = await readCredits(tx, lines)
  for (const own of Map.groupBy(credits, credit => credit.credit_line_id).values()) {
    await passCredits(tx, own)
  }
}

export async function readCredits(tx: Tx, lines: readonly LineKey[]): Promise<Credit[]> {
  return tx.all(sql<Credit>`
    select l.id as credit_line_id, l.card_spent, l.partner_id, l.borrower_id, c.original_ref,
      c.amount
    from credit_lines l join (select partner_id, credit_line_id, original_ref,
        (-sum(amount + repaid))::bigint as amount
      from card_entries
      where ${haveKeys(keysBy(lines, 'credit_line_id'), 'card_entries', 'credit_line_id')}
        and status = 'completed' and loan_id is null and amount + repaid < 0 group by 1, 2, 3) c
      on c.partner_id = l.partner_id and c.credit_line_id = l.id
    order by l.id, c.original_ref nulls first`)
}

/** SQL condition on entries: the returned money refers to no purchase. */
export const UNNAMED = sql`original_ref is null`

async function passCredits(tx: Tx, credits: readonly Credit[]): Promise<void> {
  const line = credits[0]!
  for (const { original_ref: ref, amount } of credits) {
    if (ref === null) await applyCreditToLoans(tx, line, amount, UNNAMED)
    else await applySurplusOfPurchase(tx, line, ref)
  }
  if (line.card_spent < 0n) await applyCreditToLoans(tx, line, -line.card_spent, sql`true`)
}

interface Purchase {
  /** The processor's references to the purchase and to everything cleared under it. */
  readonly refs: readonly string[]
  readonly cleared: boolean
  /**
   * Cents cleared, less cents lent as card loans and cents returned. The reversal of a dispute does
   * not count: it is new spending, and may be reported before the dispute itself.
   */
  readonly unbilled: bigint
  /** The loan that financed the earliest clearing of the purchase, if any has been lent. */
  readonly loan_id: string | null
}

/** Reads a purchase of a partner by any of the processor's references to it. */
export async function readPurchase(
  tx: Tx,
  { partner_id }: Pick<SpentLine, 'partner_id'>,
  ref: string,
): Promise<Purchase> {
  return tx.one(sql<Purchase>`
    with named as (
      select partner_id, coalesce(authorization_entry_id, id) as id from card_entries
      where partner_id = ${partner_id} and transaction_type = 'payment'
        and (authorization_ref = ${ref} or transaction_ref = ${ref})
    ), parts as (
      select * from card_entries where (partner_id, id) in (select partner_id, id from named)
      union all
      select * from card_entries
      where (partner_id, authorization_entry_id) in (select partner_id, id from named)
    ), words as (
      select array_agg(ref) as refs from parts cross join lateral (
        values (authorization_ref), (transaction_ref)) w (ref) where ref is not null
    ), given as (
      select sum(amount + repaid) filter (
        where status = 'completed' and loan_id is null and amount < 0) as back from card_entries
      where partner_id = ${partner_id}
        and original_ref = any((select refs from words)::text[])
    )
    select coalesce((select refs from words), '{}') as refs,
      coalesce(bool_or(transaction_ref is not null), false) as cleared,
      (coalesce(sum(amount) filter (where transaction_ref is not null and loan_id is null), 0)
        + coalesce((select back from given), 0))::bigint as unbilled,
      (array_agg(loan_id order by cleared_at, id) filter (where loan_id is not null))[1] as loan_id
    from parts`)
}

/**
 * Cents returned in excess of what the purchase cleared in the current cycle, counting `more`,
 * which is not booked yet. 0 until the purchase is known to be cleared.
 */
export function surplusOf({ cleared, unbilled }: Purchase, more = 0n): bigint {
  return cleared && unbilled < more ? more - unbilled : 0n
}

/**
 * Takes up to `amount` of returned money from the current cycle, newest first, and repays loans
 * with it. Money that no loan needs becomes a surplus of loan `surplus_of`, if given. Returns the
 * cents taken.
 */
export async function applyCreditToLoans(
  tx: Tx,
  line: SpentLine,
  amount: bigint,
  which: ReturnType<typeof sql>,
  surplus_of: string | null = null,
): Promise<bigint> {
  const credits = await tx.all(sql<EntryRow>`
    select * from card_entries
    where partner_id = ${line.partner_id} and credit_line_id = ${line.credit_line_id}
      and status = 'completed' and loan_id is null and amount + repaid < 0 and ${which}
    order by cleared_at desc, id desc`)
  let left = amount
  const used: EntryRepaid[] = []
  const lent: { value_on: Day; amount: bigint }[] = []
  for (const { partner_id, id: entry_id, repaid: before, cleared_on, ...credit } of credits) {
    const free = -credit.amount - before
    const value_on = cleared_on!
    const cents = minAmount(free, left)
    // Allocated for each entry, because a repayment with an earlier value date lowers the interest
    // owed.
    const shares = await sharesOf(tx, line, cents, surplus_of)
    const rest = surplus_of ? cents - sumOf(shares) : 0n
    if (rest > 0n) shares.push({ loan_id: surplus_of!, amount: rest })
    const repaid = sumOf(shares)
    if (repaid === 0n) break
    await repayLoans(tx, { partner_id, entry_id, value_on }, shares)
    const loan_id = repaid === free ? shares.at(-1)!.loan_id : null
    used.push({ partner_id, id: entry_id, repaid: before + repaid, loan_id })
    lent.push({ value_on, amount: repaid })
    left -= repaid
  }
  await setRepaid(tx, used)
  await bookSpending(tx, line, 'card_refund', lent)
  return amount - left
}

interface Share {
  readonly loan_id: string
  readonly amount: bigint
}

function sumOf(shares: readonly Share[]): bigint {
  return shares.reduce((sum, { amount }) => sum + amount, 0n)
}

/**
 * Allocates returned money to card loans: to `first`, then in order of original due date,
 * written-off loans last.
 */
async function sharesOf(
  tx: Tx,
  line: SpentLine,
  amount: bigint,
  first: string | null,
): Promise<Share[]> {
  const loans = amount > 0n ? await openCardLoans(tx, line) : []
  const rank = (loan: { id: string }) => (loan.id === first ? 0 : 1)
  const shares: Share[] = []
  let left = amount
  for (const { id: loan_id, owed } of loans.toSorted((a, b) => rank(a) - rank(b))) {
    if (left === 0n) break
    const share = minAmount(owed, left)
    shares.push({ loan_id, amount: share })
    left -= share
  }
  return shares
}

async function repayLoans(
  tx: Tx,
  { partner_id, ...entry }: { partner_id: string; entry_id: string; value_on: Day },
  shares: readonly Share[],
): Promise<void> {
  for (const { loan_id: id, amount } of shares) {
    await repayByCard(tx, { partner_id, id }, { ...entry, amount })
  }
}
