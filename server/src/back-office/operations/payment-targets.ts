/** Finds debts that an unmatched payment may be for. */
import type { PaymentSuggestion, PaymentTarget, Status } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { isUnsuccessful } from '../../money/payments/index.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import { likePattern } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { electronicForm } from '../../platform/kit/reference.ts'

const FOUND_MAX = 30
const COMPANIES_MAX = 50
const SUGGESTED_MAX = 10
/** Shorter names occur in too many texts. */
const NAME_MIN = 4

interface Row {
  id: string
  kind: PaymentTarget['kind']
  status: Status<'loan' | 'bill' | 'installment'> | 'OWED'
  partner: string
  payer: string | null
  reference: string | null
  owed: bigint
  due_on: Day
}

/** Conditions on loan `l`, bill `b`, installment `i` of plan `p`, fee `f` of subscription `s`. */
interface Conditions {
  readonly loan: RawBuilder<unknown>
  readonly bill: RawBuilder<unknown>
  readonly installment: RawBuilder<unknown>
  readonly fee: RawBuilder<unknown>
}

const OWED_OF_LOAN = sql`l.principal_outstanding`
const OWED_OF_BILL = sql`(b.amount - b.amount_paid)`
const OWED_OF_INSTALLMENT = sql`(select coalesce(sum(n.amount - n.paid), 0)::bigint
  from installment_parts n where n.partner_id = i.partner_id and n.installment_id = i.id)`

/** Debts that can be paid now and meet the conditions. */
function openDebts({ loan, bill, installment, fee }: Conditions): RawBuilder<unknown> {
  return sql`
    select l.id, 'loan' as kind, l.status, l.partner_id, l.borrower_id,
      l.repayment_reference as reference, ${OWED_OF_LOAN} as owed, l.falls_due_on as due_on
    from loans l where l.status in ('TO_REPAY', 'TO_REPAY_FEES') and ${loan}
    union all
    select b.id, 'bill', b.status, b.partner_id, b.borrower_id, b.reference,
      ${OWED_OF_BILL}, b.due_on
    from bills b where b.status in ('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY') and ${bill}
    union all
    select i.id, 'installment', i.status, i.partner_id, p.borrower_id, i.reference,
      ${OWED_OF_INSTALLMENT}, i.due_on
    from plan_installments i
    join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id
    where i.status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED') and ${installment}
    union all
    select f.id, 'fee', 'OWED', f.partner_id, s.borrower_id, f.reference, f.amount, f.month
    from subscription_fees f
    join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
    left join payments y on y.partner_id = f.partner_id and y.id = f.payment_id
    where (y.id is null or ${isUnsuccessful('y')}) and ${fee}`
}

/**
 * Debts (loans, bills, installments, fees) with this id or reference, or whose borrower has this
 * number or name. Returns at most `FOUND_MAX`, the earliest due date first.
 */
export async function findTargets(tx: Tx, query: string): Promise<PaymentTarget[]> {
  const text = query.trim()
  const isNamed = (table: string) =>
    sql`${sql.ref(`${table}.id`)}::text = ${text}
      or ${haveNames(table, 'reference', [electronicForm(text)])}`
  const ofCompany = sql`in (select id from companies)`
  const debts = openDebts({
    loan: sql`(${isNamed('l')} or l.borrower_id ${ofCompany})`,
    bill: sql`(${isNamed('b')} or ${haveNames('b', 'bill_number', [text])}
      or b.borrower_id ${ofCompany})`,
    installment: sql`(${isNamed('i')} or p.borrower_id ${ofCompany})`,
    fee: sql`(${isNamed('f')} or s.borrower_id ${ofCompany})`,
  })
  const rows = await tx.all(sql<Row>`
    with companies as (
      select id from borrowers
      where identifier = ${text} or name ilike ${likePattern(text)} limit ${COMPANIES_MAX}),
    found as (${debts})
    select f.*, ${NAMES} from found f ${NAMED} order by f.due_on, f.id limit ${FOUND_MAX}`)
  return rows.map(viewOf)
}

const NAMES = sql`p.name as partner, coalesce(b.name, b.identifier) as payer`
const NAMED = sql`join partners p on p.id = f.partner_id
  left join borrowers b on b.partner_id = f.partner_id and b.id = f.borrower_id`

/** What is known of the sender of an unmatched payment. */
export interface Received {
  readonly id: string
  /** Cents. */
  readonly amount: bigint
  readonly from_iban: string | null
  readonly from_name: string | null
  readonly reference: string | null
}

type Clue = PaymentSuggestion['clues'][number]

/** What each clue says for a debt. The amount alone says little: many owe the same. */
const WEIGHTS: Record<Clue, number> = {
  earlier_match: 4,
  sender_account: 4,
  text: 3,
  sender_name: 2,
  amount: 2,
}

/**
 * Debts that an unmatched payment is probably for, the most probable first, each with the clues
 * that lead to it. At most `SUGGESTED_MAX`. It books nothing: a person decides.
 */
export async function suggestTargets(tx: Tx, received: Received): Promise<PaymentSuggestion[]> {
  const { amount } = received
  const ofCompany = sql`in (select borrower_id from companies)`
  const debts = openDebts({
    loan: sql`(l.borrower_id ${ofCompany} or ${OWED_OF_LOAN} = ${amount})`,
    bill: sql`(b.borrower_id ${ofCompany} or ${OWED_OF_BILL} = ${amount})`,
    installment: sql`p.borrower_id ${ofCompany}`,
    fee: sql`s.borrower_id ${ofCompany}`,
  })
  const rows = await tx.all(sql<Row & { clues: Exclude<Clue, 'amount'>[] }>`
    with clues as materialized (${cluesOf(received)}),
    companies as (select distinct borrower_id from clues),
    debts as (${debts}),
    known as (
      select d.*, array(select distinct c.clue from clues c
        where c.partner_id = d.partner_id and c.borrower_id = d.borrower_id
        order by c.clue) as clues from debts d),
    found as (
      select * from known where clues <> '{}'
      union all
      (select * from known where clues = '{}' order by due_on, id limit ${SUGGESTED_MAX}))
    select f.*, ${NAMES} from found f ${NAMED} order by f.due_on, f.id`)
  return rows
    .map(row => {
      const clues: Clue[] = row.owed === amount ? [...row.clues, 'amount'] : row.clues
      return { ...viewOf(row), clues }
    })
    .toSorted((a, b) => weightOf(b) - weightOf(a))
    .slice(0, SUGGESTED_MAX)
}

function weightOf({ clues }: PaymentSuggestion): number {
  return clues.reduce((total, clue) => total + WEIGHTS[clue], 0)
}

/** The borrowers that the sender, the text or earlier matches point to, with the clue for each. */
function cluesOf({ id, from_iban, from_name, reference }: Received): RawBuilder<unknown> {
  const text = (reference ?? '').toLowerCase()
  const sender = (from_name ?? '').toLowerCase()
  const numbers = text.split(/[^a-z0-9]+/).map(word => word.toUpperCase())
  const isIn = (where: string) => sql`length(name) >= ${NAME_MIN}
    and position(lower(name) in ${where}) > 0`
  return sql`
    select partner_id, borrower_id, 'sender_account' as clue from borrower_accounts
      where account_number = ${from_iban}::text
    union all
    select y.partner_id, y.borrower_id, 'earlier_match' from suspense_items s
      join bank_news n on n.id = s.bank_news_id
      join payments y on ${ofEachPartner('y')} and y.id = s.matched_payment_id
      where s.status = 'MATCHED' and s.id <> ${id} and n.raw ->> 'from_iban' = ${from_iban}::text
        and y.borrower_id is not null
    union all
    (select partner_id, id, 'sender_name' from borrowers
      where ${isIn(sender)} limit ${COMPANIES_MAX})
    union all
    (select partner_id, id, 'text' from borrowers
      where identifier = any(${numbers}::text[]) or (${isIn(text)}) limit ${COMPANIES_MAX})`
}

function viewOf({ id, kind, status, partner, payer, reference, owed, due_on }: Row): PaymentTarget {
  return {
    id,
    kind,
    status,
    partner,
    reference,
    // A bill without a borrower is the partner's own.
    payer: payer ?? partner,
    owed: toWire(owed),
    due_at: wireDay(due_on),
  }
}
