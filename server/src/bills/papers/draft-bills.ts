/** What bills say on paper: their lines, and how they are to be paid. */
import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import { type BillInput, type CreditRefund, lenderOf } from '../../documents/index.ts'
import { addDays, type Day, daysBetween, max, min, parisDay, yearOf } from '../../kit/dates.ts'
import type { Step } from '../../loans/index.ts'
import { type Payer, payersOf } from '../parties.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import { type BillRow, nextInvoiceNumbers } from '../store.ts'

interface Line {
  bill_id: string
  reference: string
  borrower: string
  rate_ppm: number
  amount: bigint
  mark_up: bigint
  /** Null when the loan's payout came back. */
  steps: { from_on: Day; principal: string }[] | null
}

/** What stays as it was when a bill is put on paper once more. */
export type Issued = Pick<BillInput, 'document_id' | 'number' | 'total'>

type Inputs = ReadonlyMap<string, BillInput>

/** What bills would say if they were sent as they are; they are given their numbers. */
export async function draftBills(tx: Tx, bills: readonly BillRow[]): Promise<Inputs> {
  return inputsOf(tx, bills, await payersOf(tx, bills), new Map())
}

/** What a bill that has its number says by now. */
export async function redraftBill(tx: Tx, bill: BillRow): Promise<BillInput> {
  const issued = { document_id: tx.newId(), number: bill.invoice_number!, total: bill.amount }
  const payers = await payersOf(tx, [bill])
  return (await inputsOf(tx, [bill], payers, new Map([[bill.id, issued]]))).get(bill.id)!
}

/** One drawn before keeps its id, and its number unless that is of the other series. */
export async function inputsOf(
  tx: Tx,
  bills: readonly BillRow[],
  payers: ReadonlyMap<string, Payer>,
  before: ReadonlyMap<string, Issued>,
): Promise<Inputs> {
  const ids = bills.map(bill => bill.id)
  const numbers = await numbersOf(tx, bills, before)
  const lines = Map.groupBy(await readLines(tx, ids), line => line.bill_id)
  const amended = await amendedBy(tx, bills)
  const refunds = await refundsOf(tx, ids)
  const routes = await routesOf(tx, ids)
  const lender = lenderOf(tx.settings.lender)
  return new Map(
    bills.map(bill => {
      const payer = payers.get(bill.payer_id)!
      const own = lines.get(bill.id) ?? []
      const amends = amended.get(bill.amends_bill_id ?? '')
      const refund = refunds.get(bill.id)
      const input: BillInput = {
        document_id: before.get(bill.id)?.document_id ?? tx.newId(),
        issued_on: tx.today,
        language: payer.language,
        lender,
        number: numbers.get(bill.id)!,
        payer: payer.party,
        currency: bill.currency,
        period: { from: bill.period_from, to: bill.period_to },
        rate_ppm: own[0]?.rate_ppm ?? 0,
        ...contentOf(bill, own),
        total: bill.amount,
        prepaid: bill.amount_prepaid,
        due_on: bill.due_on,
        payment: routeOf(tx, bill, routes.get(bill.id)),
        ...(amends && { amends }),
        ...(refund && { refund }),
      }
      return [bill.id, input]
    }),
  )
}

function contentOf(bill: BillRow, lines: readonly Line[]): Pick<BillInput, 'lines' | 'extras'> {
  const mark_up = lines.reduce((sum, line) => sum + line.mark_up, 0n)
  return {
    lines: lines.map(line => ({
      loan_reference: line.reference,
      // A partner is told whose loan it is.
      ...(bill.borrower_id === null && { borrower: line.borrower }),
      segments: segmentsOf(line, bill),
      interest: line.amount - line.mark_up,
    })),
    extras: mark_up === 0n ? [] : [{ kind: 'PARTNER_MARK_UP', amount: mark_up }],
  }
}

async function numbersOf(
  tx: Tx,
  bills: readonly BillRow[],
  before: ReadonlyMap<string, Issued>,
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

async function readLines(tx: Tx, bill_ids: readonly string[]): Promise<Line[]> {
  return tx.all(sql<Line>`
    select l.bill_id, o.repayment_reference as reference, w.name as borrower, o.rate_ppm,
      l.amount, l.mark_up,
      (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
        order by s.from_on) from loan_principal_steps s where s.loan_id = o.id) as steps
    from bill_lines l join loans o on o.id = l.loan_id join borrowers w on w.id = o.borrower_id
    where l.bill_id = any(${bill_ids}::uuid[]) order by o.paid_out_on, o.id`)
}

/** The stretches of the period with one outstanding principal; both ends counted. */
function segmentsOf(line: Line, bill: BillRow): BillInput['lines'][number]['segments'] {
  const end = addDays(bill.period_to, 1)
  const steps: Step[] = (line.steps ?? []).map(s => ({ ...s, principal: BigInt(s.principal) }))
  return steps.flatMap((step, index) => {
    const from = max(step.from_on, bill.period_from)
    const until = min(steps[index + 1]?.from_on ?? end, end)
    const days = daysBetween(from, until)
    if (days <= 0 || step.principal === 0n) return []
    return [{ from, to: addDays(until, -1), days, outstanding: step.principal }]
  })
}

/** The bills that these replace, by their own ids. */
async function amendedBy(
  tx: Tx,
  bills: readonly BillRow[],
): Promise<Map<string, NonNullable<BillInput['amends']>>> {
  const ids = bills.flatMap(bill => bill.amends_bill_id ?? [])
  if (ids.length === 0) return new Map()
  const old = await tx.all(sql<{ id: string; invoice_number: string; email_sent_at: Date }>`
    select id, invoice_number, email_sent_at from bills
    where id = any(${ids}::uuid[]) and email_sent_at is not null`)
  return new Map(
    old.map(o => [o.id, { number: o.invoice_number, issued_on: parisDay(o.email_sent_at) }]),
  )
}

/** The payments that pay back what bills credit, as they are planned. */
async function refundsOf(tx: Tx, bill_ids: readonly string[]): Promise<Map<string, CreditRefund>> {
  const rows = await tx.all(sql<CreditRefund & { bill_id: string }>`
    select p.bill_id, p.amount, p.scheduled_on as on, p.to_account->>'account_number' as iban
    from payments p where p.bill_id = any(${bill_ids}::uuid[]) and ${IS_REFUND}`)
  return new Map(rows.map(({ bill_id, ...refund }) => [bill_id, refund]))
}

interface Route {
  bill_id: string
  reference: string | null
  scheme: 'CORE' | 'B2B' | null
  iban: string | null
  wallet: string | null
}

/** The mandate that the latest payment of each bill is debited by, or else the wallet. */
async function routesOf(tx: Tx, bill_ids: readonly string[]): Promise<Map<string, Route>> {
  const rows = await tx.all(sql<Route>`
    select distinct on (p.bill_id) p.bill_id, d.reference, d.scheme, d.iban,
      w.account_number as wallet
    from payments p left join mandates d on d.id = p.mandate_id
    left join wallets w on w.id = p.wallet_id
    where p.bill_id = any(${bill_ids}::uuid[]) and p.status <> 'CANCELED'
      and (p.mandate_id is not null or p.wallet_id is not null)
    order by p.bill_id, (p.mandate_id is null), p.id desc`)
  return new Map(rows.map(row => [row.bill_id, row]))
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
