/** The interest formula gives the same result in TypeScript and SQL, on 100,000 loans. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { centDaysTo, stepsUntil } from '../../src/credit/loans/amounts-due/interest-sql.ts'
import { interestTo, type PrincipalStep } from '../../src/credit/loans/interest.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, type Day, day } from '../../src/platform/kit/dates.ts'
import { testApp } from '../support/app.ts'
import { randomOf } from '../support/random.ts'

const CASES = 100_000
const SLICE = 20_000
const FIRST = day('2026-01-01')

interface Case {
  readonly steps: readonly PrincipalStep[]
  readonly ppm: number
  /** May be before all steps. */
  readonly on: Day
}

const random = randomOf(18)

/** Every third case has round figures, which often end on half a cent. */
function aCase(index: number): Case {
  const is_round = index % 3 === 0
  const count = 1 + random(4)
  const days = Array.from({ length: count }, () => random(400)).sort((a, b) => a - b)
  const steps = [...new Set(days)].map((after, position) => ({
    from_on: addDays(FIRST, after),
    principal: BigInt(
      position > 0 && random(3) === 0 ? 0 : is_round ? random(400) * 1_000 : random(20_000_000),
    ),
  }))
  return { steps, ppm: is_round ? 500 : random(11_000), on: addDays(FIRST, random(500)) }
}

const cases = Array.from({ length: CASES }, (_, index) => aCase(index))
const exactOf = ({ steps, ppm, on }: Case) =>
  steps.reduce((sum, { from_on, principal }, index) => {
    const until = steps[index + 1]?.from_on ?? on
    const days = (Date.parse(until < on ? until : on) - Date.parse(from_on)) / 86_400_000
    return sum + (days > 0 ? principal * BigInt(days) * BigInt(ppm) : 0n)
  }, 0n)

test('SQL gives the same result for 100,000 random loans, rounded and exact', async () => {
  const { context } = await testApp({ work: false })
  let compared = 0
  let halves = 0
  for (let from = 0; from < CASES; from += SLICE) {
    const slice = cases.slice(from, from + SLICE)
    const steps = slice.flatMap((one, loan_id) => one.steps.map(step => ({ loan_id, ...step })))
    const table = sql`(select null::uuid as partner_id, n.* from unnest(
        ${steps.map(s => s.loan_id)}::int[], ${steps.map(s => s.from_on)}::date[],
        ${steps.map(s => s.principal)}::bigint[]) as n (loan_id, from_on, principal)) n`
    const found = await transaction(context.database, { partners: '*', read_only: true }, tx =>
      tx.all(sql<{ whole: bigint; exact: bigint }>`
        select interest_cents((e.cent_days * c.ppm)::bigint) as whole,
          interest_cents(e.cent_days::numeric * c.ppm) as exact
        from unnest(${slice.map(c => c.ppm)}::int[], ${slice.map(c => c.on)}::date[])
          with ordinality as c (ppm, on_day, place)
        join (select s.loan_id, c.on_day, ${centDaysTo(sql`c.on_day`)} as cent_days
          from ${stepsUntil(table)} s
          join unnest(${slice.map(c => c.on)}::date[]) with ordinality as c (on_day, place)
            on c.place = s.loan_id + 1
          group by 1, 2) e on e.loan_id + 1 = c.place
        order by c.place`),
    )
    expect(found).toEqual(
      slice.map(({ steps, ppm, on }) => {
        const cents = interestTo(steps, ppm, on)
        return { whole: cents, exact: cents }
      }),
    )
    compared += found.length
    halves += slice.filter(one => exactOf(one) % 1_000_000n === 500_000n).length
  }
  expect(compared).toBe(CASES)
  expect(halves).toBeGreaterThan(1_000)
})
