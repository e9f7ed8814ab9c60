/** Builds the content of bill documents: lines and payment instructions. */
import { sql } from 'kysely'
import {
  type BillInput,
  type CreditRefund,
  type CreditUse,
  lenderOf,
} from '../../../integrations/documents/index.ts'
import { haveKeys, keysBy, keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { parisDay, yearOf } from '../../../platform/kit/dates.ts'
import { type Payer, payersOf } from '../parties.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import type { PrintedLine } from '../printed-line.ts'
import { type BillRow, numbersOf as invoiceNumbersOf, nextInvoiceNumbers } from '../store.ts'

interface Line {
  partner_id: string
  bill_id: string
  reference: string
  borrower: string
  printed: PrintedLine[]
}

/** The fields of a rendered bill that decide its document id and number when rendered again. */
export type IssuedBillFields = Pick<BillInput, 'document_id' | 'number' | 'total'>

type Inputs = ReadonlyMap<string, BillInput>

/** The content that bills would have if sent now; assigns their invoice numbers. */
export async function draftBills(tx: Tx, bills: readonly BillRow[]): Promise<Inputs> {
  return inputsOf(tx, bills, await payersOf(tx, bills), new Map())
}

/** The current content of a bill that already has its number. */
export async function redraftBill(tx: Tx, bill: BillRow): Promise<BillInput> {
  const issued = { document_id: tx.newId(), number: bill.invoice_number!, total: bill.amount }
  const payers = await payersOf(tx, [bill])
  return (await inputsOf(tx, [bill], payers, new Map([[bill.id, issued]]))).get(bill.id)!
}

/**
 * The content of bills, by id. A bill in `before` keeps its document id, and its number too unless
 * it became a credit note or stopped being one.
 */
export async function inputsOf(
  tx: Tx,
  bills: readonly BillRow[],
  payers: ReadonlyMap<string, Payer>,
  before: ReadonlyMap<string, IssuedBillFields>,
): Promise<Inputs> {
  const numbers = await numbersOf(tx, bills, before)
  const read = await readLines(tx, bills)
  const corrected = read.flatMap(({ partner_id, printed }) =>
    keysOf(
      partner_id,
      printed.flatMap(one => one.corrects_bill_id ?? []),
    ),
  )
  const corrects = await invoiceNumbersOf(tx, corrected)
  const lines = Map.groupBy(read, line => line.bill_id)
  const amended = await amendedBy(tx, bills)
  const credits = await creditsOf(tx, bills)
  const routes = await routesOf(tx, bills)
  const in_plan = await settledByPlan(tx, bills)
  const lender = lenderOf(tx.settings.lender)
  return new Map(
    bills.map(bill => {
      const payer = payers.get(bill.payer_id)!
      const own = lines.get(bill.id) ?? []
      const amends = amended.get(bill.amends_bill_id ?? '')
      const credit = credits.get(bill.id)
      const input: BillInput = {
        document_id: before.get(bill.id)?.document_id ?? tx.newId(),
        issued_on: tx.today,
        language: payer.language,
        lender,
        number: numbers.get(bill.id)!,
        payer: payer.party,
        currency: bill.currency,
        period: { from: bill.period_from, to: bill.period_to },
        lines: own.map(line => lineOf(bill, line, corrects)),
        total: bill.amount,
        prepaid: bill.amount_prepaid,
        due_on: bill.due_on,
        payment: in_plan.has(bill.id) ? IN_PLAN : routeOf(tx, bill, routes.get(bill.id)),
        ...(amends && { amends }),
        ...(credit && { credit }),
      }
      return [bill.id, input]
    }),
  )
}

function lineOf(
  bill: BillRow,
  { reference, borrower, printed }: Line,
  corrects: ReadonlyMap<string, string | null>,
): BillInput['lines'][number] {
  return {
    loan_reference: reference,
    // A partner's bill names the borrower of each loan.
    ...(bill.borrower_id === null && { borrower }),
    items: printed.map(line => itemOf(line, corrects.get(line.corrects_bill_id ?? ''))),
  }
}

type Item = BillInput['lines'][number]['items'][number]

function itemOf(line: PrintedLine, corrects: string | null | undefined): Item {
  const { kind, component, from_on, to_on, days, principal, rate_ppm, reason } = line
  const { exact_to_date_microcents: exact, billed_before } = line
  return {
    kind,
    component,
    amount: BigInt(line.amount),
    ...(principal !== undefined && {
      run: {
        from: from_on!,
        to: to_on!,
        days,
        rate_ppm: rate_ppm!,
        principal: BigInt(principal),
      },
    }),
    ...(reason && { reason }),
    ...(corrects && { corrects }),
    ...(exact !== undefined && {
      to_date: { exact_microcents: BigInt(exact), billed_before: BigInt(billed_before!) },
    }),
  }
}

async function numbersOf(
  tx: Tx,
  bills: readonly BillRow[],
  before: ReadonlyMap<string, IssuedBillFields>,
): Promise<Map<string, string>> {
  const isCredit = (total: bigint) => total < 0n
  const keeps = ({ id, amount }: BillRow) => {
    const old = before.get(id)
    return old !== undefined && isCredit(old.total) === isCredit(amount)
  }
  const fresh = bills.filter(bill => !keeps(bill))
  const credits = fresh.map(bill => isCredit(bill.amount))
  const numbers = await nextInvoiceNumbers(tx, yearOf(tx.today), credits)
  const kept = bills.filter(keeps).map(({ id }): [string, string] => [id, before.get(id)!.number])
  return new Map([...kept, ...fresh.map(({ id }, i): [string, string] => [id, numbers[i]!])])
}

async function readLines(tx: Tx, bills: readonly RowKey[]): Promise<Line[]> {
  return tx.all(sql<Line>`
    select l.partner_id, l.bill_id, o.repayment_reference as reference, w.name as borrower,
      l.printed
    from bill_lines l join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
    join borrowers w on w.partner_id = o.partner_id and w.id = o.borrower_id
    where ${haveKeys(bills, 'l', 'bill_id')} order by o.paid_out_on, o.id`)
}

/** Number and issue date of each bill that one of these replaces, by the replaced bill's id. */
async function amendedBy(
  tx: Tx,
  bills: readonly BillRow[],
): Promise<Map<string, NonNullable<BillInput['amends']>>> {
  const amended = keysBy(bills, 'amends_bill_id')
  if (amended.length === 0) return new Map()
  // The day on which the bill was sent or, if it was replaced before that, issued.
  const old = await tx.all(sql<{ id: string; invoice_number: string; issued_at: Date }>`
    select b.id, b.invoice_number, coalesce(b.email_sent_at, max(c.at)) as issued_at from bills b
    join state_changes c on c.partner_id = b.partner_id and c.resource_id = b.id
      and c.to_status in ('VALIDATED', 'SENT_TO_PAYER') and c.from_status is distinct from 'TO_PAY'
    where ${haveKeys(amended, 'b')}
    group by b.partner_id, b.id`)
  return new Map(
    old.map(o => [o.id, { number: o.invoice_number, issued_on: parisDay(o.issued_at) }]),
  )
}

/** How each bill's credit is used, by bill id; a bill that credits nothing is absent. */
async function creditsOf(tx: Tx, bills: readonly RowKey[]): Promise<Map<string, CreditUse>> {
  const rows = await tx.all(sql<Omit<CreditUse, 'refunds'> & { bill_id: string }>`
    select b.id as bill_id, (c.credited - m.taken)::bigint as unpaid, m.set_off,
      m.taken - m.own - m.set_off as kept
    from bills b
    cross join lateral (select -sum(least(l.amount, 0)) as credited from bill_lines l
      where l.partner_id = b.partner_id and l.bill_id = b.id) c
    cross join lateral (select
        coalesce(sum(amount) filter (where kind = 'CREDIT'), 0)::bigint as taken,
        coalesce(sum(amount) filter (where kind <> 'CREDIT' and bill_id = b.id), 0)::bigint as own,
        coalesce(sum(amount) filter (where kind <> 'CREDIT' and bill_id <> b.id), 0)::bigint
          as set_off
      from loan_movements where partner_id = b.partner_id and credit_bill_id = b.id
        and voided_at is null) m
    where ${haveKeys(bills, 'b')} and c.credited > 0`)
  if (rows.length === 0) return new Map()
  const refunds = await refundsOf(tx, bills)
  return new Map(
    rows.map(({ bill_id, kept, ...use }) => {
      const own = refunds.get(bill_id) ?? []
      const left = own.reduce((rest, { amount }) => rest - amount, kept)
      return [bill_id, { ...use, refunds: own, kept: left }]
    }),
  )
}

async function refundsOf(tx: Tx, bills: readonly RowKey[]): Promise<Map<string, CreditRefund[]>> {
  const rows = await tx.all(sql<CreditRefund & { bill_id: string }>`
    select p.bill_id, p.amount, p.scheduled_on as on, p.to_account->>'account_number' as iban
    from payments p where ${haveKeys(bills, 'p', 'bill_id')} and ${IS_REFUND}
    order by p.id`)
  const all = Map.groupBy(rows, row => row.bill_id)
  return new Map(
    [...all].map(([id, own]) => [id, own.map(({ bill_id: _, ...refund }) => refund)] as const),
  )
}

interface Route {
  bill_id: string
  reference: string | null
  scheme: 'CORE' | 'B2B' | null
  iban: string | null
  wallet: string | null
}

/**
 * The mandate of each bill's latest direct debit or, without one, the wallet of its latest wallet
 * debit.
 */
async function routesOf(tx: Tx, bills: readonly RowKey[]): Promise<Map<string, Route>> {
  const rows = await tx.all(sql<Route>`
    select distinct on (p.bill_id) p.bill_id, d.reference, d.scheme, d.iban,
      w.account_number as wallet
    from payments p left join mandates d on d.partner_id = p.partner_id and d.id = p.mandate_id
    left join wallets w on w.partner_id = p.partner_id and w.id = p.wallet_id
    where ${haveKeys(bills, 'p', 'bill_id')} and p.status <> 'CANCELED'
      and (p.mandate_id is not null or p.wallet_id is not null)
    order by p.bill_id, (p.mandate_id is null), p.id desc`)
  return new Map(rows.map(row => [row.bill_id, row]))
}

const IN_PLAN = { method: 'PLAN' } as const

/** Bills that a payment plan settles and that have no payment of their own. */
async function settledByPlan(tx: Tx, bills: readonly RowKey[]): Promise<Set<string>> {
  const rows = await tx.all(sql<{ id: string }>`
    select b.id from bills b
    where ${haveKeys(bills, 'b')} and b.borrower_id is not null
      and not exists (select from payments p
        where p.partner_id = b.partner_id and p.bill_id = b.id
          and p.direction = 'IN' and p.status <> 'CANCELED')
      and (b.installment_plan_id is not null or exists (select from bill_lines i
        join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
        where i.partner_id = b.partner_id and i.bill_id = b.id
          and l.installment_plan_id is not null))`)
  return new Set(rows.map(row => row.id))
}

function routeOf(tx: Tx, bill: BillRow, route: Route | undefined): BillInput['payment'] {
  if (route?.reference) {
    return {
      method: 'DIRECT_DEBIT',
      scheme: route.scheme!,
      mandate_reference: route.reference,
      debtor_iban: route.iban!,
      debit_on: bill.due_on,
    }
  }
  if (route?.wallet) return { method: 'P2P', wallet: route.wallet, debit_on: bill.due_on }
  const { lender } = tx.settings
  return {
    method: 'SCT',
    iban: lender.collection_iban,
    bic: lender.collection_bic,
    account_holder: lender.name,
    reference: bill.reference,
  }
}
