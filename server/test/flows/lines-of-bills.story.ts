/**
 * Bills of random loans, with partial and backdated repayments, returned debits and refunds, moved
 * due dates, stopped interest and write-offs. Bill lines follow from the figures printed on them,
 * the lines add up, and a sent bill never changes. `SEED=7` repeats a run; `DAYS` sets its length.
 */
import { describe, expect } from 'vitest'
import { resumeInterest, stopInterest } from '../../src/credit/recollection/index.ts'
import { addDays, type Day, day } from '../../src/platform/kit/dates.ts'
import { asOtherPartners, type TestApp } from '../support/app.ts'
import { expectOnPaper, expectToCompute } from '../support/bill-lines.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { type Bill, type Loan, loanOf, payIn } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { type Random, randomOf } from '../support/random.ts'
import { openCase } from '../support/recollection.ts'
import { type ReadyBorrower, readyBorrower, requestLoan, today } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

const SEED = Number(process.env.SEED ?? 11)
const DAYS = Number(process.env.DAYS ?? 75)
const START = day('2027-01-11')

interface World {
  readonly app: TestApp
  readonly random: Random
  readonly borrowers: readonly ReadyBorrower[]
  readonly did: string[]
  /** Lines and PDFs by bill ID, as they were when the bill was first seen after sending. */
  readonly sent: Map<string, string>
  readonly papers: Map<string, Buffer>
}

type Deed = (world: World) => Promise<string>

function pick<T>({ random }: World, things: readonly T[]): T | undefined {
  return things[random(things.length || 1)]
}

async function loansIn({ app }: World, ...status: Loan['status'][]): Promise<Loan[]> {
  return (await app.client.listLoans({ page_size: 500, status })).data
}

const lendSome: Deed = async world => {
  const borrower = pick(world, world.borrowers)!
  const input = { amount: 50_000 + world.random(400_000), days: 5 + world.random(40) }
  const loan = await requestLoan(world.app, borrower, input)
  await world.app.drain()
  return `lent ${input.amount} for ${input.days} days: ${loan.status}`
}

const repay: Deed = async world => {
  const { app, random } = world
  const loan = pick(world, await loansIn(world, 'TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'))
  if (!loan) return 'repaid nothing'
  const open = loan.amount - loan.repaid_nominal_amount
  const amount = random(3) ? 1 + random(loan.amount) : open || 1 + random(2_000)
  const value_date = addDays(day(await today(app)), -random(random(2) ? 40 : 1))
  await payIn(app, { to: loan, amount, value_date })
  return `repaid ${amount} of ${loan.id} valued ${value_date}`
}

const payBill: Deed = async world => {
  const { app, random } = world
  const { data } = await app.client.listBills({ status: ['TO_PAY'], page_size: 500 })
  const bill = pick(
    world,
    data.filter(one => one.to_pay_amount > 0),
  )
  if (!bill) return 'no bill to pay'
  const amount = random(2) ? bill.to_pay_amount : 1 + random(bill.to_pay_amount)
  const loan = await loanOf(app, bill.lines[0]!.loan_id)
  const from_iban = bill.billed_borrower_id ? loan.loan_to.account_number : PARTNER_COMPANY.iban
  await payIn(app, { to: loan, amount, reference: bill.payment.to_references[0]!, from_iban })
  return `paid ${amount} of bill ${bill.invoice_number}`
}

const sendBack: Deed = async world => {
  const { client, drain } = world.app
  const { data } = await client.listSandboxBankInstructions({ status: ['SETTLED'] })
  const debits = data.filter(one => one.kind === 'SDD')
  const instruction = pick(world, world.random(6) ? debits : data)
  if (!instruction) return 'nothing to send back'
  const { id: instruction_id, kind, amount } = instruction
  // A bank returns a debit within days. After that, the debtor can claim a refund for weeks.
  const late = () => client.refundSandboxInstruction({ instruction_id })
  const result = await client
    .returnSandboxInstruction({ instruction_id })
    .catch(late)
    .then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
  await drain()
  return `sent back ${kind} of ${amount}: ${result}`
}

const postpone: Deed = async world => {
  const loan = pick(world, await loansIn(world, 'TO_REPAY'))
  if (!loan) return 'nothing to postpone'
  const to_repay_at = addDays(day(loan.to_repay_at.slice(0, 10)), 1 + world.random(8))
  const result = await world.app.client.changeLoan({ loan_id: loan.id, to_repay_at }).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )
  await world.app.drain()
  return `postponed ${loan.id} to ${to_repay_at}: ${result}`
}

const giveUp: Deed = async world => {
  const { app, random } = world
  const loan = random(2) && pick(world, await loansIn(world, 'TO_REPAY', 'TO_REPAY_FEES'))
  if (!loan) return 'gave nothing up'
  const on = addDays(day(await today(app)), -random(10))
  const result = await writeOff(app, loan, on).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )
  return `wrote off ${loan.id} on ${on}: ${result}`
}

/** Stops a debtor's interest from a recent day, and half the time resumes it some days later. */
const stop: Deed = async world => {
  const { app, random, borrowers } = world
  const debtor = pick(world, borrowers)!
  const loans = (await loansIn(world, 'TO_REPAY')).filter(
    loan => loan.borrower.identifier === debtor.identifier,
  )
  const loan = pick(world, loans)
  if (!loan) return 'stopped nothing'
  const on = addDays(day(await today(app)), -random(12))
  const refused = (error: { code: string }) => error.code
  const found = await openCase(app, debtor, { loan_ids: [loan.id] }).catch(refused)
  if (typeof found !== 'object') return `no case: ${found}`
  const [by, case_id] = [await createOperatorId(app), found.id]
  const result = await asOperator(app, tx =>
    stopInterest(tx.as(by), { case_id, on, reason: 'Law' }),
  ).then(() => 'done', refused)
  if (result === 'done' && random(2)) {
    const resumed = { case_id, on: addDays(on, 1 + random(6)), reason: 'Over' }
    await asOperator(app, tx => resumeInterest(tx.as(by), resumed)).catch(refused)
  }
  return `stopped interest of ${loan.id} on ${on}: ${result}`
}

const DEEDS: readonly Deed[] = [
  lendSome,
  lendSome,
  repay,
  repay,
  repay,
  repay,
  payBill,
  payBill,
  sendBack,
  sendBack,
  postpone,
  giveUp,
  stop,
]

const SENT: readonly Bill['status'][] = ['SENT_TO_PAYER', 'TO_PAY', 'PAID', 'INVALID']

/** Checks the arithmetic of each bill, and that sent bills have not changed. Returns all bills. */
async function readBills(world: World): Promise<Bill[]> {
  const bills: Bill[] = []
  for await (const bill of world.app.client.each('listBills', {})) bills.push(bill)
  for (const bill of bills) {
    expectToCompute(bill, bills)
    if (!SENT.includes(bill.status) || !bill.email_sent_to_payer_on) continue
    const lines = JSON.stringify(bill.lines)
    if (!world.sent.has(bill.id)) {
      world.sent.set(bill.id, lines)
      world.papers.set(bill.id, await paperOf(bill))
    }
    expect([bill.invoice_number, lines]).toEqual([bill.invoice_number, world.sent.get(bill.id)])
  }
  const numbers = bills.flatMap(bill => bill.invoice_number ?? [])
  expect(new Set(numbers).size).toBe(numbers.length)
  return bills
}

async function paperOf(bill: Bill): Promise<Buffer> {
  const answer = await fetch(bill.document_url!)
  return Buffer.from(await answer.arrayBuffer())
}

/** Runs random actions day by day, and checks the bills every evening. */
async function live(world: World, { until }: StoryContext): Promise<void> {
  for (let loans = 0; loans < 4; loans++) world.did.push(await lendSome(world))
  for (let on = addDays(START, 1), n = 0; n < DAYS; n++, on = addDays(on, 1)) {
    for (let actions = world.random(4); actions > 0; actions--) {
      const result = await pick(world, DEEDS)!(world)
      world.did.push(`${await today(world.app)} ${result}`)
    }
    await until(on)
    await readBills(world)
  }
}

/** Checks that loans repaid before `until`, unless written off, are billed their exact interest. */
async function billedInFull(world: World, bills: readonly Bill[], until: Day): Promise<void> {
  const lines = bills.filter(bill => bill.status !== 'INVALID').flatMap(bill => bill.lines)
  for (const loan of await loansIn(world, 'CLOSED')) {
    if (loan.written_off_at || !loan.repaid_nominal_at || loan.repaid_nominal_at >= until) continue
    const own = lines.filter(line => line.loan_id === loan.id)
    const billed = own.reduce((sum, line) => sum + line.amount, 0)
    expect([loan.id, billed]).toEqual([loan.id, loan.fees_ongoing])
  }
}

async function expectOfBills(world: World): Promise<void> {
  const bills = await readBills(world)
  const kinds = new Set(bills.flatMap(bill => bill.lines.map(line => line.kind)))
  expect([...kinds]).toEqual(expect.arrayContaining(['INTEREST', 'ADJUSTMENT']))
  for (const bill of bills) {
    const paper = world.papers.get(bill.id)
    if (!paper) continue
    await expectOnPaper(bill)
    expect([bill.invoice_number, (await paperOf(bill)).equals(paper)]).toEqual([
      bill.invoice_number,
      true,
    ])
  }
  await billedInFull(world, bills, day(`${(await today(world.app)).slice(0, 7)}-01`))
}

const AGREED = [
  ['borrowers pay', 'CHARGED' as const, 0],
  ['borrowers pay a mark-up too', 'PASSED_ON' as const, 130],
  ['the partner pays', 'TRANSFERRED' as const, 0],
] as const

const story = calendar(START)

describe('three partners, each with its own agreement', () => {
  for (const [name, fees_mode, mark_up_ppm] of AGREED) {
    const result = `${name}: every line computes, and none changes once sent, seed ${SEED}`
    story(result, async tale => {
      const app = await asOtherPartners(tale.app)
      await agree(app, { fees_mode, mark_up_ppm })
      const borrowers = [await readyBorrower(app), await readyBorrower(app, 'SCT')]
      const world: World = {
        app,
        random: randomOf(SEED),
        borrowers,
        did: [],
        sent: new Map(),
        papers: new Map(),
      }
      try {
        await live(world, tale)
        // Corrections that become known in a month are billed at its end.
        await tale.until(addDays(START, DAYS + 31))
        await expectOfBills(world)
      } catch (error) {
        console.error(world.did.join('\n'))
        throw error
      }
    })
  }
})
