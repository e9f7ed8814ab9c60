/**
 * Random corrections of paid bills: backdated repayments, returned debits, refunds and payouts. In
 * the end, each fee payer has paid exactly the interest by the formula. `SEED=7` repeats a run;
 * `DAYS` sets its length.
 */
import { describe, expect } from 'vitest'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, type Day, day, daysBetween } from '../../src/platform/kit/dates.ts'
import { asOtherPartners, type TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { type Bill, loanOf, payIn, referenceOf } from '../support/money.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { type Random, randomOf } from '../support/random.ts'
import { type ReadyBorrower, readyBorrower, requestLoan, today } from '../support/story.ts'

const SEED = Number(process.env.SEED ?? 3)
const DAYS = Number(process.env.DAYS ?? 40)
const START = day('2027-01-11')

/** One partner under one fee agreement, its borrowers, and the log of what was done. */
interface World {
  readonly app: TestApp
  readonly random: Random
  readonly borrowers: readonly ReadyBorrower[]
  readonly did: string[]
}

type Deed = (world: World) => Promise<string>

function pick<T>({ random }: World, things: readonly T[]): T | undefined {
  return things[random(things.length || 1)]
}

const lendSome: Deed = async world => {
  const borrower = pick(world, world.borrowers)!
  const input = { amount: 50_000 + world.random(400_000), days: 5 + world.random(40) }
  const loan = await requestLoan(world.app, borrower, input)
  await world.app.drain()
  return `lent ${input.amount} for ${input.days} days: ${loan.status}`
}

/** Repays a loan, mostly with a past value date, so that interest billed since is too high. */
const repayDatedBack: Deed = async world => {
  const { app, random } = world
  const { data: loans } = await app.client.listLoans({ page_size: 500 })
  const loan = pick(
    world,
    loans.filter(one => ['TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'].includes(one.status)),
  )
  if (!loan) return 'repaid nothing'
  const open = loan.amount - loan.repaid_nominal_amount
  const amount = random(2) ? open || 1 + random(2_000) : 1 + random(loan.amount)
  const value_date = addDays(day(await today(app)), -random(random(4) ? 20 : 45))
  await payIn(app, { to: loan, amount, value_date })
  return `repaid ${amount} of ${loan.id} valued ${value_date}`
}

const payBill: Deed = async world => {
  const { app, random } = world
  const bill = pick(world, await openBills(app))
  if (!bill) return 'no bill to pay'
  const amount = random(3) ? bill.to_pay_amount : 1 + random(bill.to_pay_amount)
  await pay(app, bill, amount)
  return `paid ${amount} of bill ${bill.invoice_number}`
}

/** Makes the bank return a debit, a refund or a payout. */
const sendSomethingBack: Deed = async world => {
  const { client, drain } = world.app
  const { data } = await client.listSandboxBankInstructions({ status: ['SETTLED'] })
  const debits = data.filter(one => one.kind === 'SDD')
  const refunds = data.filter(one => one.direction === 'OUT' && one.amount < 20_000)
  const instruction = pick(world, [debits, debits, refunds, data][world.random(4)]!)
  if (!instruction) return 'nothing to send back'
  const { id: instruction_id, kind, direction, amount } = instruction
  await client.returnSandboxInstruction({ instruction_id })
  await drain()
  return `sent back ${kind} ${direction} of ${amount}`
}

const DEEDS = [lendSome, repayDatedBack, repayDatedBack, payBill, payBill, sendSomethingBack]

async function openBills({ client }: TestApp): Promise<Bill[]> {
  const { data } = await client.listBills({ status: ['TO_PAY'], page_size: 500 })
  return data.filter(bill => bill.to_pay_amount > 0)
}

async function pay(app: TestApp, bill: Bill, amount: number): Promise<void> {
  const loan = await loanOf(app, bill.lines[0]!.loan_id)
  const from_iban = bill.billed_borrower_id ? loan.loan_to.account_number : PARTNER_COMPANY.iban
  const reference = bill.payment.to_references[0]!
  await payIn(app, { to: loan, amount, reference, from_iban })
}

/** Pays loans and bills for four months, so that all loans close and all credits are issued. */
async function settle({ app }: World, { until }: StoryContext): Promise<void> {
  for (let months = 0; months < 4; months++) {
    for await (const loan of app.client.each('listLoans', { status: ['TO_REPAY'] })) {
      const open = loan.amount - loan.repaid_nominal_amount
      await payIn(app, { to: loan, amount: open, reference: referenceOf(loan) })
    }
    for (const bill of await openBills(app)) await pay(app, bill, bill.to_pay_amount)
    await until(addDays(START, DAYS + 31 * (months + 1)))
  }
}

/** Interest on the principal owed each night, rounded once, half to even. */
function formula(facts: readonly { value_on: Day; principal: bigint }[], ppm: bigint): bigint {
  const [payout, ...repaid] = facts
  let owed = payout!.principal
  let exact = 0n
  const last = repaid.map(one => one.value_on).reduce((a, b) => (a > b ? a : b), payout!.value_on)
  for (let night = 0; night < daysBetween(payout!.value_on, last); night++) {
    const on = addDays(payout!.value_on, night)
    for (const one of repaid) {
      if (one.value_on === on || (night === 0 && one.value_on < on)) owed -= one.principal
    }
    exact += owed * ppm
  }
  const [whole, rest] = [exact / 1_000_000n, (exact % 1_000_000n) * 2n]
  return rest > 1_000_000n || (rest === 1_000_000n && whole % 2n === 1n) ? whole + 1n : whole
}

interface Fact {
  loan_id: string
  payer_id: string
  value_on: Day
  principal: string
  rate_ppm: number
  mark_up_ppm: number
}

async function read<Row>({ context, partner_id }: TestApp, text: string): Promise<Row[]> {
  const scope = { partners: '*', read_only: true } as const
  const { rows } = await transaction(context.database, scope, tx => tx.raw(text, [partner_id]))
  return rows
}

/** Interest and mark-up that each fee payer owes over all its loans, by the formula. */
async function owedByPayer(app: TestApp): Promise<Map<string, bigint>> {
  const rows = await read<Fact>(
    app,
    `select l.id as loan_id, l.rate_ppm, l.mark_up_ppm, m.value_on::text,
       case l.fees_payer when 'PARTNER' then l.partner_id else l.borrower_id end as payer_id,
       case m.kind when 'PAYOUT' then m.amount else m.principal end as principal
     from loans l join loan_movements m on m.loan_id = l.id and m.voided_at is null
     where l.partner_id = $1 and (m.kind = 'PAYOUT' or m.principal > 0)
     order by m.kind <> 'PAYOUT', m.value_on`,
  )
  const owed = new Map<string, bigint>()
  for (const own of Map.groupBy(rows, fact => fact.loan_id).values()) {
    const { payer_id, rate_ppm, mark_up_ppm } = own[0]!
    const facts = own.map(f => ({ value_on: day(f.value_on), principal: BigInt(f.principal) }))
    const fees = formula(facts, BigInt(rate_ppm)) + formula(facts, BigInt(mark_up_ppm))
    owed.set(payer_id, (owed.get(payer_id) ?? 0n) + fees)
  }
  return owed
}

/** Each payer's bank payments, net of what it received. Excludes shares paid to the partner. */
async function paidByPayer(app: TestApp): Promise<Map<string, bigint>> {
  const rows = await read<{ payer_id: string; net: string }>(
    app,
    `select coalesce(borrower_id, partner_id) as payer_id,
       sum(case direction when 'IN' then amount else -amount end) as net
     from payments where partner_id = $1 and status = 'PAID'
       and payment_type <> 'REVENUE_SHARE' group by 1`,
  )
  return new Map(rows.map(row => [row.payer_id, BigInt(row.net)]))
}

/** Surplus and credits of each payer that are not refunded yet. */
async function waiting(app: TestApp): Promise<Map<string, bigint>> {
  const rows = await read<{ payer_id: string; amount: string }>(
    app,
    `select payer_id, sum(amount) as amount from (
       select l.borrower_id as payer_id, l.surplus - l.surplus_refunded as amount
         from loans l where l.partner_id = $1 and l.fees_payer = 'BORROWER'
       union all select l.partner_id, l.surplus - l.surplus_refunded
         from loans l where l.partner_id = $1 and l.fees_payer = 'PARTNER'
       union all select a.owner_id, -b.amount from ledger_accounts a
         join ledger_balances b on b.account_id = a.id where a.code = 'credit_notes_payable'
           and (a.owner_id = $1 or a.owner_id in
             (select borrower_id from loans where partner_id = $1))) w
     group by payer_id`,
  )
  return new Map(rows.map(row => [row.payer_id, BigInt(row.amount)]))
}

async function live(world: World, { until }: StoryContext): Promise<void> {
  for (let loans = 0; loans < 5; loans++) world.did.push(await lendSome(world))
  for (let on = addDays(START, 1), n = 0; n < DAYS; n++, on = addDays(on, 1)) {
    for (let actions = world.random(4); actions > 0; actions--) {
      const result = await pick(world, DEEDS)!(world)
      world.did.push(`${await today(world.app)} ${result}`)
    }
    await until(on)
  }
}

async function everybodyIsEven({ app }: World): Promise<void> {
  const [owed, paid, left] = [await owedByPayer(app), await paidByPayer(app), await waiting(app)]
  expect(owed.size).toBeGreaterThan(0)
  // If the partner pays the fees, a surplus may be its own or a borrower's, so all are summed.
  const payers = owed.has(app.partner_id) ? [[...paid.keys(), ...left.keys()]] : [...owed.keys()]
  const sumOf = (cents: Map<string, bigint>, of: readonly string[]) =>
    [...new Set(of)].reduce((sum, payer) => sum + (cents.get(payer) ?? 0n), 0n)
  for (const of of payers.map(payer => [payer].flat())) {
    const kept = sumOf(paid, of) - sumOf(left, of)
    expect([of, kept]).toEqual([of, sumOf(owed, of)])
  }
}

const AGREED = [
  ['borrowers pay', 'CHARGED' as const, 0],
  ['borrowers pay a mark-up too', 'PASSED_ON' as const, 130],
  ['the partner pays', 'TRANSFERRED' as const, 0],
] as const

const story = calendar(START)

describe('three partners, each with its own agreement', () => {
  for (const [name, fees_mode, mark_up_ppm] of AGREED) {
    story(`${name}: settled exactly in the end, seed ${SEED}`, async tale => {
      const app = await asOtherPartners(tale.app)
      await agree(app, { fees_mode, mark_up_ppm })
      const borrowers = [await readyBorrower(app), await readyBorrower(app, 'SCT')]
      const world: World = { app, random: randomOf(SEED), borrowers, did: [] }
      try {
        await live(world, tale)
        await settle(world, tale)
        await everybodyIsEven(world)
      } catch (error) {
        console.error(world.did.join('\n'))
        throw error
      }
    })
  }
})
