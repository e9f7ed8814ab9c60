/** The open part of each installment is the same in TypeScript and SQL. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { OPEN_AMOUNT } from '../../src/credit/loans/amounts-due/open-installment.ts'
import { openInstallments } from '../../src/credit/loans/installments.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { testApp } from '../support/app.ts'

const installmentsOf = (amounts: readonly bigint[]) =>
  amounts.map(amount => ({ due_on: day('2027-01-21'), amount }))

const cases = fc.sample(
  fc.record({
    amounts: fc.array(fc.bigInt(1n, 900n), { minLength: 1, maxLength: 5 }),
    covered: fc.bigInt(-2_000n, 4_500n),
  }),
  500,
)

test('refunds lent beyond all repayments are owed with the first installment', () => {
  expect(openInstallments(installmentsOf([500n, 500n]), -995n)).toMatchObject([
    { position: 1, amount: 1_495n },
    { position: 2, amount: 500n },
  ])
})

test('SQL gives the same for each installment, and together they are the debt', async () => {
  const { context } = await testApp({ work: false })
  for (const { amounts, covered } of cases) {
    const parts = openInstallments(installmentsOf(amounts), covered)
    const total = amounts.reduce((sum, amount) => sum + amount, 0n)
    const owed = parts.reduce((sum, part) => sum + part.amount, 0n)
    expect(owed).toBe(total > covered ? total - covered : 0n)
    const open = await transaction(context.database, { partners: '*', read_only: true }, tx =>
      tx.all(sql<{ position: number; amount: bigint }>`
        select i.position::int as position, ${OPEN_AMOUNT} as amount
        from (select ${covered}::bigint as principal_covered) l cross join (
          select position, amount, (sum(amount) over (order by position))::bigint as amount_until
          from unnest(${amounts}::bigint[]) with ordinality as n (amount, position)) i
        where i.amount_until > l.principal_covered order by 1`),
    )
    expect(open).toEqual(parts.map(({ position, amount }) => ({ position, amount })))
  }
})
