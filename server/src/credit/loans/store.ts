/**
 * The SQL that writes loans and their movements, except status (db/move.ts) and the columns of the
 * module's other `*-store.ts` files.
 */
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { DebitSource } from '../../companies/borrowers/index.ts'
import {
  asLockedLine,
  exposureLockCtes,
  lineChangeStatement,
  type WithLockedLine,
} from '../../companies/credit-lines/index.ts'
import type { FeesPayer } from '../../money/partner-terms/index.ts'
import {
  isSentOrSettled,
  type PaymentRow,
  type PaymentType,
  recordVoided,
} from '../../money/payments/index.ts'
import { enterNames, haveNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { haveKeys, ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Statement, statement, type Tx } from '../../platform/db/transaction.ts'
import { recordUpdate } from '../../platform/events/index.ts'
import { assert } from '../../platform/kit/assert.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { PaymentAccount } from '../../platform/kit/payment-account.ts'
import type { Movement } from './account.ts'
import { type Installment, nextDue } from './installments.ts'
import type { InterestStop } from './interest.ts'
import { keepPastTerms } from './past-terms-store.ts'
import { type Fees, payerOf } from './payer.ts'
import { type LoanWithDetails, selectLoans } from './queries.ts'

export type LoanRow = Omit<Selectable<DB['loans']>, 'loan_to' | 'interest_stops'> & {
  loan_to: PaymentAccount
  interest_stops: readonly InterestStop[]
}
/** A loan that was locked after its credit line. */
export type LockedLoan = WithLockedLine<LoanRow>
export type MovementRow = Selectable<DB['loan_movements']> & { kind: Movement['kind'] }

/** The row of a new loan; `payer_id` follows from `fees_payer`. */
export type LoanToInsert = Omit<Insertable<DB['loans']>, 'fees_payer' | 'payer_id'> & {
  fees_payer: FeesPayer
}

export async function insertLoans(tx: Tx, rows: readonly LoanToInsert[]): Promise<void> {
  await tx.inOrder([insertOfLoans(tx, rows, lineChangeStatement(tx, []))])
}

/**
 * The statement that inserts new loans and reserves their amounts on credit lines. Returns the
 * inserted loans with their details. A loan whose client reference is taken is missing; the
 * transaction must then roll back, because the names of all loans are already entered.
 */
export function insertOfLoans(
  tx: Tx,
  rows: readonly LoanToInsert[],
  { parts, changed, count }: ReturnType<typeof lineChangeStatement>,
): Statement<LoanWithDetails[]> {
  const paid = rows.map(row => ({ ...row, payer_id: payerOf(row) }))
  const owners = rows.filter(row => row.loan_type === 'INVOICE_BASED_FINANCING')
  enterNames(tx, 'reference', rows, row => row.repayment_reference)
  enterNames(tx, 'account', owners, row => row.repayment_iban)
  const inserted = sql`${insertInto('loans', paid)}
    on conflict (partner_id, salt_id) where salt_id is not null do nothing returning *`
  const read = selectLoans(sql`true`, sql`${changed} as changed_lines`, sql`inserted`)
  const query = sql<LoanWithDetails & { changed_lines: number }>`
    with ${parts}, inserted as (${inserted}) ${read}`
  return statement(query, found =>
    found.map(({ changed_lines, ...loan }) => {
      assert(changed_lines === count, 'every changed line exists')
      return loan
    }),
  )
}

/** The next numbers for loans with their own accounts; null if no loan needs one. */
export function nextAccountNumbers(count: number): Statement<number[]> | null {
  if (count === 0) return null
  const query = sql<{ n: number }>`
    select nextval('loan_accounts')::double precision as n from generate_series(1, ${count}::int)
    order by n`
  return statement(query, rows => rows.map(row => row.n))
}

export async function isLoanAccount(tx: Tx, iban: string): Promise<boolean> {
  const { known } = await tx.one(sql<{ known: boolean }>`
    select exists (select from loans where ${haveNames('loans', 'account', [iban])}) as known`)
  return known
}

export function saltLockName(partner_id: string, salt_id: string): string {
  return `${partner_id} ${salt_id}`
}

/**
 * Locks the rows of `loans` that match a condition on columns that never change, with their
 * partners and credit lines, in the common lock order, and reads them.
 */
export async function lockLoansPartnersAndLines(
  tx: Tx,
  which: RawBuilder<unknown>,
): Promise<LockedLoan[]> {
  // A loan's owner never changes, so it can be read before locking.
  const owners = sql`select partner_id, borrower_id from loans where ${which}`
  const { ctes, held } = exposureLockCtes(owners)
  const loans = await tx.all(sql<LoanRow>`
    ${ctes} select * from loans where ${which} and ${held}
    order by id for no key update`)
  return loans.map(asLockedLine)
}

export async function lockLoans(tx: Tx, keys: readonly RowKey[]): Promise<LoanRow[]> {
  return tx.all(sql<LoanRow>`
    select * from loans where ${haveKeys(keys, 'loans')} order by id for no key update`)
}

export async function readLoans(tx: Tx, keys: readonly RowKey[]): Promise<LoanRow[]> {
  return tx.all(sql<LoanRow>`select * from loans where ${haveKeys(keys, 'loans')} order by id`)
}

/** Matches a row of `loans` by id alone, because operators do not name the partner. */
export function isLoan(id: string): RawBuilder<unknown> {
  return sql`${ofEachPartner('loans')} and loans.id = ${id}`
}

/** The loan with this id, of any partner; undefined if there is none. */
export async function findLoan(tx: Tx, id: string): Promise<LoanRow | undefined> {
  return tx.maybe(sql<LoanRow>`select * from loans where ${isLoan(id)}`)
}

/** The installments of loans in order, by loan id. A loan repaid in one amount has no entry. */
export async function readInstallments(
  tx: Tx,
  loans: readonly RowKey[],
): Promise<Map<string, Installment[]>> {
  if (loans.length === 0) return new Map()
  const rows = await tx.all(sql<Installment & { loan_id: string }>`
    select loan_id, due_on, amount from loan_installments
    where ${haveKeys(loans, 'loan_installments', 'loan_id')} order by loan_id, position`)
  return Map.groupBy(rows, row => row.loan_id)
}

/** Fixes a loan's fee terms on approval, as currently agreed with its partner. */
export async function fixTerms(
  tx: Tx,
  loan: LoanRow,
  { fees_payer, mark_up_ppm }: Fees,
): Promise<void> {
  const payer_id = payerOf({ ...loan, fees_payer })
  await tx.run(sql`
    update loans set fees_payer = ${fees_payer}, mark_up_ppm = ${mark_up_ppm},
      payer_id = ${payer_id}
    where partner_id = ${loan.partner_id} and id = ${loan.id}`)
}

export function setReserved(
  tx: Tx,
  loans: readonly Pick<LoanRow, 'id' | 'partner_id' | 'reserved'>[],
): void {
  tx.send(sql`
    update loans l set reserved = n.reserved
    from unnest(${loans.map(l => l.partner_id)}::uuid[], ${loans.map(l => l.id)}::uuid[],
      ${loans.map(l => l.reserved)}::bigint[]) as n (partner_id, id, reserved)
    where l.partner_id = n.partner_id and l.id = n.id`)
}

export async function setMethod(
  tx: Tx,
  loans: readonly RowKey[],
  method: { payment_method: string } & DebitSource,
): Promise<void> {
  const { payment_method, mandate_id, wallet_id } = method
  await keepPastTerms(tx, loans, { to_repay_on: null, repayment_method: payment_method })
  const changed = await tx.all(sql<ChangedTerms>`
    update loans l set repayment_method = ${payment_method}, mandate_id = ${mandate_id},
      wallet_id = ${wallet_id}
    from loans o where ${haveKeys(loans, 'l')} and o.partner_id = l.partner_id and o.id = l.id
    returning l.partner_id, l.id, ${TERMS_SHOWN} as shown`)
  recordTerms(tx, changed)
}

/** A loan `l` with new terms, and whether the API shows a difference from the old row `o`. */
type ChangedTerms = RowKey & { readonly shown: boolean }

const TERMS_SHOWN = sql<boolean>`(${termsOf(sql`l`)} is distinct from ${termsOf(sql`o`)})`

/** The agreed terms and the repayment account, as far as the API shows them. */
function termsOf(l: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${l}.amount, ${l}.to_pay_on, ${l}.falls_due_on, ${l}.contractual_repayment_on,
    ${l}.loan_to - 'name', ${l}.loan_to_references, ${l}.repayment_to_references,
    ${l}.repayment_method, ${l}.transfer_contract_url, ${l}.metadata,
    (select array[d.iban, d.bic] from mandates d
      where d.partner_id = ${l}.partner_id and d.id = ${l}.mandate_id),
    (select w.account_number from wallets w
      where w.partner_id = ${l}.partner_id and w.id = ${l}.wallet_id))`
}

function recordTerms(tx: Tx, changed: readonly ChangedTerms[]): void {
  for (const loan of changed) if (loan.shown) recordUpdate(tx, 'loan', loan)
}

/**
 * The columns that an agreement may change. Excludes the status and figures computed from
 * movements.
 */
export type AgreedFields = Pick<
  Updateable<DB['loans']>,
  | 'amount'
  | 'contractual_repayment_on'
  | 'loan_to'
  | 'loan_to_references'
  | 'mandate_id'
  | 'metadata'
  | 'postponed_at'
  | 'repayment_method'
  | 'repayment_to_references'
  | 'reserved'
  | 'to_pay_on'
  | 'transfer_contract_url'
  | 'wallet_id'
> & { to_repay_on?: Day }

export async function setAgreed(tx: Tx, loan: LoanRow, agreed: AgreedFields): Promise<void> {
  const { to_repay_on = null, repayment_method = null } = agreed
  const moved = to_repay_on !== null && to_repay_on !== loan.to_repay_on
  assert(!(moved && loan.in_parts), 'the days of a loan in parts do not change alone')
  const due = moved ? nextDue({ ...loan, to_repay_on }, []) : {}
  await keepPastTerms(tx, [loan], { to_repay_on, repayment_method })
  const changed = await tx.all(
    queryBuilder
      .updateTable('loans as l')
      .from('loans as o')
      .set({ ...agreed, ...due })
      .where('l.partner_id', '=', loan.partner_id)
      .where('l.id', '=', loan.id)
      .whereRef('o.partner_id', '=', 'l.partner_id')
      .whereRef('o.id', '=', 'l.id')
      .returning(['l.partner_id', 'l.id', TERMS_SHOWN.as('shown')]),
  )
  recordTerms(tx, changed)
}

/** Records when it became known that refunds are principal again; null if they are not. */
export async function setLentKnown(
  tx: Tx,
  refunds: readonly (RowKey & { on: Day | null })[],
): Promise<void> {
  if (refunds.length === 0) return
  await tx.run(sql`
    update loan_movements m set lent_known_on = n.lent_known_on
    from unnest(${refunds.map(r => r.partner_id)}::uuid[], ${refunds.map(r => r.id)}::uuid[],
      ${refunds.map(r => r.on)}::date[]) as n (partner_id, id, lent_known_on)
    where m.partner_id = n.partner_id and m.id = n.id`)
}

/** Records when a loan became known to owe only reclaimed refunds; null if it no longer does. */
export async function setReclaimKnown(
  tx: Tx,
  { partner_id, id }: RowKey,
  on: Day | null,
): Promise<void> {
  await tx.run(sql`
    update loans set reclaimed_known_on = ${on} where partner_id = ${partner_id} and id = ${id}`)
}

/** Records the status before a reclaimed refund reopened a loan without payout; null clears it. */
export async function setReopenedFrom(
  tx: Tx,
  { partner_id, id }: RowKey,
  from: string | null,
): Promise<void> {
  await tx.run(sql`
    update loans set reopened_from = ${from} where partner_id = ${partner_id} and id = ${id}`)
}

/** Clears the mark that a migration set on loans to be recomputed. */
export async function clearRecomputeMark(tx: Tx, loans: readonly RowKey[]): Promise<void> {
  await tx.run(sql`update loans set fold_outdated = false where ${haveKeys(loans, 'loans')}`)
}

export function setDenial(tx: Tx, loans: readonly RowKey[], denial_reason: string): void {
  tx.send(sql`
    update loans set denial_reason = ${denial_reason} where ${haveKeys(loans, 'loans')}`)
}

export async function setContract(tx: Tx, loan: RowKey, document_id: string): Promise<void> {
  await tx.run(sql`
    update loans set contract_document_id = ${document_id}
    where partner_id = ${loan.partner_id} and id = ${loan.id}`)
  recordUpdate(tx, 'loan', loan)
}

export interface NewMovement {
  loan_id: string
  partner_id: string
  kind: Movement['kind']
  /** Null if a card entry or cycle moved the money, or a bill credited it. */
  payment_id: string | null
  card_entry_id?: string | null
  credit_bill_id?: string | null
  bill_id?: string | null
  refunded_payment_id?: string | null
  amount: bigint
  value_on: Day
  revocable_until?: Day | null
  /** Whether it was booked after the loan was written off; false by default. */
  after_write_off?: boolean
}

export function movementRow(tx: Tx, moved: NewMovement): MovementRow {
  return {
    id: tx.newId(),
    booked_at: tx.now,
    bill_id: null,
    revocable_until: null,
    card_entry_id: null,
    credit_bill_id: null,
    refunded_payment_id: null,
    after_write_off: false,
    given_back: 0n,
    principal: 0n,
    interest: 0n,
    surplus: 0n,
    lent_known_on: null,
    voided_at: null,
    ...moved,
  }
}

/** Voids the movements of a returned payment on a loan, as if its money had never moved. */
export async function voidMovements(
  tx: Tx,
  { partner_id, id, payment_type }: Pick<PaymentRow, 'id' | 'partner_id' | 'payment_type'>,
  loan_id: string,
): Promise<void> {
  const which = sql`partner_id = ${partner_id} and payment_id = ${id} and loan_id = ${loan_id}`
  await voidWhere(tx, which, payment_type as PaymentType)
}

/** Voids the given movements, whose money moves to another debt. */
export async function voidMovementsById(tx: Tx, movements: readonly RowKey[]): Promise<void> {
  await voidWhere(tx, haveKeys(movements, 'loan_movements'), null)
}

/**
 * Deducts cents from movements. Each movement keeps its id, and with it its place in the day's
 * order of allocation; a void copy stores the original amount.
 */
export async function reduceMovements(
  tx: Tx,
  cuts: readonly (RowKey & { readonly cents: bigint })[],
): Promise<void> {
  if (cuts.length === 0) return
  const partner_ids = cuts.map(({ partner_id }) => partner_id)
  const ids = cuts.map(({ id }) => id)
  await tx.run(sql`
    insert into loan_movements
    select (jsonb_populate_record(m, jsonb_build_object('id', n.copy_id,
      'voided_at', ${tx.now}::timestamptz, 'principal', 0, 'interest', 0, 'surplus', 0))).*
    from loan_movements m
    join unnest(${partner_ids}::uuid[], ${ids}::uuid[], ${cuts.map(() => tx.newId())}::uuid[])
      as n (partner_id, id, copy_id) on n.partner_id = m.partner_id and n.id = m.id`)
  await tx.run(sql`
    update loan_movements m set amount = m.amount - n.cents, booked_at = ${tx.now}
    from unnest(${partner_ids}::uuid[], ${ids}::uuid[],
      ${cuts.map(({ cents }) => cents)}::bigint[]) as n (partner_id, id, cents)
    where m.partner_id = n.partner_id and m.id = n.id`)
}

async function voidWhere(
  tx: Tx,
  which: RawBuilder<unknown>,
  returned: PaymentType | null,
): Promise<void> {
  const voided = await tx.all(sql<MovementRow>`
    with valid as (select * from loan_movements where ${which} and voided_at is null),
    voided as (update loan_movements m set voided_at = ${tx.now}, principal = 0, interest = 0,
        surplus = 0, lent_known_on = null
      from valid v where m.partner_id = v.partner_id and m.id = v.id)
    select * from valid`)
  for (const movement of voided) recordVoided(tx, movement, returned)
}

/**
 * Records how much of each movement of a loan was refunded. A refund first counts against the
 * surplus of the payment it refunds. The rest, such as surplus that a bill now credits, counts
 * against other movements, oldest first, except those whose surplus belongs to their payer
 * (`isBillMoney`).
 */
export async function saveRefundedAmounts(
  tx: Tx,
  { partner_id, id: loan_id }: RowKey,
): Promise<void> {
  const before = sql`rows between unbounded preceding and 1 preceding`
  await tx.run(sql`
    with refunds as (select refunded_payment_id as payment_id, sum(amount) as back from payments p
      where partner_id = ${partner_id} and loan_id = ${loan_id} and payment_type = 'REFUND'
        and ${isSentOrSettled('p')} group by 1),
    money as (select m.id, m.payment_id, m.surplus,
        m.kind = 'EXTRA' or m.kind = 'BILL_PAYMENT' and l.fees_payer = 'PARTNER' as is_bill_money,
        coalesce(sum(m.surplus) over (partition by m.payment_id order by m.id ${before}), 0)
          as earlier
      from loan_movements m join loans l on l.partner_id = m.partner_id and l.id = m.loan_id
      where m.partner_id = ${partner_id} and m.loan_id = ${loan_id} and m.voided_at is null
        and m.kind not in ('PAYOUT', 'REFUND')),
    own as (select m.*, greatest(0, least(m.surplus, coalesce(r.back, 0) - m.earlier)) as back
      from money m left join refunds r using (payment_id)),
    rooms as (select id, back, case when is_bill_money then 0 else surplus - back end as room
      from own),
    shared as (select id, back, room,
        (select coalesce(sum(back), 0) from refunds) - sum(back) over () as spare,
        coalesce(sum(room) over (order by id ${before}), 0) as filled from rooms)
    update loan_movements m
    set given_back = (s.back + greatest(0, least(s.room, s.spare - s.filled)))::bigint
    from shared s where m.partner_id = ${partner_id} and m.id = s.id`)
}
