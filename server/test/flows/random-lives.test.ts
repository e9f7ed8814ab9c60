/**
 * Random loans with early, late, wrong and backdated transfers, and returned debits, payouts and
 * refunds. No job may fail, lists must answer, and the books are verified each evening.
 * `SEED=7` repeats a run; `DAYS` sets its length.
 */
import { expect, test } from 'vitest'
import { addDays, day, nextMonth } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { appOn, expectVerified } from '../support/calendar.ts'
import { billsOf, type Loan, lineOf, payIn, referenceOf } from '../support/money.ts'
import { type Random, randomOf } from '../support/random.ts'
import { type ReadyBorrower, readyBorrower, requestLoan, today } from '../support/story.ts'

const SEED = Number(process.env.SEED ?? 1)
const DAYS = Number(process.env.DAYS ?? 15)

interface Life {
  readonly app: TestApp
  readonly random: Random
  readonly borrowers: readonly ReadyBorrower[]
  readonly did: string[]
}

type Deed = (life: Life) => Promise<string>

function pick<T>({ random }: Life, things: readonly T[]): T | undefined {
  return things[random(things.length || 1)]
}

const lendSomething: Deed = async life => {
  const borrower = pick(life, life.borrowers)!
  const scenarios = ['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS_ONE_DAY_LATER', 'FAIL'] as const
  const { client } = life.app
  const { iban } = await client.generateSandboxIban({ scenario: pick(life, scenarios)! })
  const days = 1 + life.random(life.random(3) ? 9 : 45)
  const auto_validate = life.random(5) > 0
  const input = { amount: 1 + life.random(900_000), days, auto_validate }
  const loan = await requestLoan(life.app, { ...borrower, account_number: iban }, input)
  await life.app.drain()
  return `lent ${input.amount} for ${days} days: ${loan.status}`
}

/** Books a transfer with or without a reference, of any amount, valued today or some days ago. */
const payInSomething: Deed = async life => {
  const { app, random } = life
  const { data: loans } = await app.client.listLoans({ page_size: 500 })
  const loan = pick(life, loans)
  if (!loan) return 'paid nothing'
  const names = [referenceOf(loan), ...(await billReferences(life, loan))]
  const reference = names.filter((_, index) => index === 0 || random(3) === 0).join(' ')
  const whole = loan.amount - loan.repaid_nominal_amount + (loan.fees_ongoing ?? 0)
  const amounts = [whole, loan.amount, 1 + random(5_000), 1 + random(loan.amount)]
  const amount = Math.max(1, pick(life, amounts)!)
  const value_date = addDays(day(await today(app)), -random(random(3) === 0 ? 25 : 3))
  await payIn(app, { to: loan, amount, reference: random(9) ? reference : null, value_date })
  return `paid ${amount} for ${reference} valued ${value_date}`
}

async function billReferences({ app }: Life, loan: Loan): Promise<string[]> {
  const bills = await billsOf(app, { id: loan.borrower.id! })
  const { contract_number } = await lineOf(app, { id: loan.borrower.id! })
  return [...bills.flatMap(bill => bill.payment.to_references.slice(0, 1)), contract_number!]
}

/** Operations on a sandbox bank instruction. In any state, most of them are refused. */
const CONTROLS = [
  'settleSandboxInstruction',
  'rejectSandboxInstruction',
  'returnSandboxInstruction',
  'refundSandboxInstruction',
  'reverseSandboxInstruction',
] as const

/** Calls a random operation on a random instruction, valued today or up to two months ago. */
const disturbTheBank: Deed = async life => {
  const { app, random } = life
  const { client, drain } = app
  const { data } = await client.listSandboxBankInstructions({ page_size: 500 })
  const debits = data.filter(one => one.kind === 'SDD')
  const instruction = pick(life, debits.length > 0 && random(4) ? debits : data)
  if (!instruction) return 'disturbed nothing'
  const { id: instruction_id, kind, direction, status, amount } = instruction
  const control = pick(life, CONTROLS)!
  const back = addDays(day(await today(app)), -random(random(2) ? 4 : 60))
  const value_date = random(2) ? back : null
  const refused = await client[control]({ instruction_id, value_date }).then(
    () => null,
    (error: { code?: string }) => error.code,
  )
  if (refused) expect(['state_conflict', 'request_invalid']).toContain(refused)
  await drain()
  return `${control} ${kind} ${direction} ${status} of ${amount} valued ${value_date}: ${refused}`
}

const makeUpMind: Deed = async life => {
  const { client, drain } = life.app
  const { data } = await client.listLoans({ status: ['TO_VALIDATE'] })
  const loan = pick(life, data)
  if (!loan) return 'had no choice'
  const { id: loan_id } = loan
  const { status } = await (life.random(2)
    ? client.validateLoan({ loan_id })
    : client.cancelLoan({ loan_id }))
  await drain()
  return `made up its mind of ${loan.amount}: ${status}`
}

const DEEDS: readonly Deed[] = [
  lendSomething,
  lendSomething,
  payInSomething,
  payInSomething,
  payInSomething,
  disturbTheBank,
  disturbTheBank,
  makeUpMind,
]

async function lookAround({ app: { client } }: Life): Promise<void> {
  const lists = [client.listLoans({}), client.listPayments({}), client.listBills({})]
  for (const list of await Promise.all(lists)) expect(list.count).toBeGreaterThanOrEqual(0)
  expect((await client.listEvents({})).count).toBeGreaterThanOrEqual(0)
}

/** Checks that the interest of loans closed before this month was billed to the cent. */
async function billsAddUp({ app }: Life): Promise<void> {
  const billed = new Map<string, number>()
  for await (const bill of app.client.each('listBills', {})) {
    if (bill.status === 'INVALID') continue
    for (const { loan_id, amount } of bill.lines) {
      billed.set(loan_id, (billed.get(loan_id) ?? 0) + amount)
    }
  }
  for await (const loan of app.client.each('listLoans', { status: ['CLOSED'] })) {
    if (loan.repaid_nominal_at! >= `${(await today(app)).slice(0, 7)}-01`) continue
    expect([loan.id, billed.get(loan.id) ?? 0]).toEqual([loan.id, loan.fees_ongoing])
  }
}

test(`a random life of ${DAYS} days, seed ${SEED}`, async () => {
  const app = await appOn('2027-01-20')
  const failures: unknown[] = []
  app.context.log.error = (result: unknown) => failures.push(result)
  const borrowers = [await readyBorrower(app), await readyBorrower(app, 'SCT')]
  const life: Life = { app, random: randomOf(SEED), borrowers, did: [] }
  try {
    for (let on = addDays(day('2027-01-20'), 1), n = 0; n < DAYS; n++, on = addDays(on, 1)) {
      for (let actions = life.random(5); actions > 0; actions--) {
        life.did.push(`${await today(app)} ${await pick(life, DEEDS)!(life)}`)
      }
      await app.client.advanceSandboxClock({ to: on })
      await expectVerified(app)
      expect(failures).toEqual([])
    }
    await lookAround(life)
    await app.client.advanceSandboxClock({ to: nextMonth(day(await today(app))) })
    await billsAddUp(life)
    await expectVerified(app)
    expect(failures).toEqual([])
  } catch (error) {
    console.error(life.did.join('\n'))
    throw error
  }
}, 300_000)
