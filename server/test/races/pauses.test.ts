/** Commands that lend, each paused at every statement while rivals compete for the credit. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { endOverride, overrideLimit } from '../../src/companies/credit-lines/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { activeCard, authorize } from '../support/cards.ts'
import { approvedDecision, sendPlanned } from '../support/decisions.ts'
import { paymentsOf } from '../support/money.ts'
import { createOperatorId } from '../support/operators.ts'
import { plusDays, type ReadyBorrower, readyBorrower } from '../support/story.ts'
import { createPauseTest, idleApp, request, runAllJobs } from './pauses.ts'

const DAY = '2027-01-11'
const app = await idleApp(DAY)
const { client } = app
const { database } = app.context
const everywhere = createPauseTest(app)

/** A line of €50,000 has room for one loan of this amount, not for two. */
const MOST = 4_700_000

type LoanInput = Partial<Parameters<typeof request>[2]>
const requestLoan = (borrower: ReadyBorrower, input: LoanInput = {}) =>
  request(app, borrower, { amount: MOST, today: DAY, ...input })

type Loan = Awaited<ReturnType<typeof requestLoan>>

/** Cancels the granted loans; returns how many there were. */
async function takeBack(loans: readonly Promise<Loan>[]): Promise<number> {
  const granted = (await Promise.all(loans)).filter(loan => loan.status !== 'DECLINED')
  for (const { id } of granted) await client.cancelLoan({ loan_id: id })
  return granted.length
}

const statusOf = async (loan: { id: string }) => (await client.getLoan({ loan_id: loan.id })).status

/** Checks that exactly one of several concurrent requests is granted. */
async function oneOf(requires: readonly (() => Promise<Loan>)[], each: () => void = () => {}) {
  await everywhere(async () => {
    each()
    const requested: Promise<Loan>[] = []
    const [run, ...rivals] = requires.map(one => () => {
      const loan = one()
      requested.push(loan)
      return loan
    })
    return {
      run: run!,
      rivals,
      check: async at => expect(await takeBack(requested), at).toBe(1),
    }
  })
}

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(database, { partners: '*', actor: 'service' }, work)

test('a request: two of €47,000 on a line of €50,000', async () => {
  const borrower = await readyBorrower(app)
  await oneOf([() => requestLoan(borrower), () => requestLoan(borrower)])
})

test("a request under its partner's ceiling, on separate lines", async () => {
  const [one, two] = [await readyBorrower(app), await readyBorrower(app)]
  const set = (most: string) =>
    database.pool.query(`update partners set exposure_max = ${most} where id = $1`, [
      app.partner_id,
    ])
  const { rows } = await database.pool.query('select exposure_max from partners where id = $1', [
    app.partner_id,
  ])
  await set('exposure + 5000000')
  await oneOf([() => requestLoan(one), () => requestLoan(two)])
  await set(`${rows[0].exposure_max}`)
})

test('a validation, while it is validated again and canceled', async () => {
  const borrower = await readyBorrower(app)
  await everywhere(async () => {
    const loan = await requestLoan(borrower, { auto_validate: false })
    const about = { loan_id: loan.id }
    return {
      run: () => client.validateLoan(about),
      rivals: [() => client.validateLoan(about), () => client.cancelLoan(about)],
      check: async at => expect(await statusOf(loan), at).toMatch(/^(VALIDATED|CANCELED)$/),
    }
  })
})

test('a cancellation, while it is repeated and its credit requested', async () => {
  const borrower = await readyBorrower(app)
  await everywhere(async () => {
    const loan = await requestLoan(borrower)
    const requested: Promise<Loan>[] = []
    const again = () => {
      requested.push(requestLoan(borrower))
      return requested[0]!
    }
    return {
      run: () => client.cancelLoan({ loan_id: loan.id }),
      rivals: [() => client.cancelLoan({ loan_id: loan.id }), again],
      check: async at => {
        expect(await statusOf(loan), at).toBe('CANCELED')
        await takeBack(requested)
      },
    }
  })
})

test('raising an undecided loan, while the rest of its line is requested', async () => {
  const borrower = await readyBorrower(app)
  await everywhere(async () => {
    const loan = await requestLoan(borrower, { amount: 1_000_000, auto_validate: false })
    const requested: Promise<Loan>[] = []
    const rest = () => {
      requested.push(requestLoan(borrower, { amount: 3_900_000 }))
      return requested[0]!
    }
    return {
      run: () => client.changeLoan({ loan_id: loan.id, amount: MOST }),
      rivals: [rest],
      check: async () => {
        await takeBack(requested)
        await client.cancelLoan({ loan_id: loan.id })
      },
    }
  })
})

test('a payout from contract to booking, while it is canceled', async () => {
  const borrower = await readyBorrower(app)
  await everywhere(async () => {
    const loan = await requestLoan(borrower, { amount: 10_000, pay_in: 0 })
    return {
      run: () => runAllJobs(app),
      rivals: [() => client.cancelLoan({ loan_id: loan.id })],
      check: async at => {
        const payouts = (await paymentsOf(app, loan)).filter(
          p => p.payment_type === 'LOAN_PAYMENT' && p.status !== 'CANCELED',
        )
        const is = await statusOf(loan)
        if (is === 'CANCELED') expect(payouts, at).toEqual([])
        else expect([is, ...payouts.map(p => p.status)], at).toEqual(['TO_REPAY', 'PAID'])
      },
    }
  })
})

test('an authorization, while another and a loan compete for the credit', async () => {
  const borrower = await readyBorrower(app)
  const card = await activeCard(app, borrower)
  await everywhere(async () => {
    const requested: Promise<Loan>[] = []
    const verdicts: ReturnType<typeof authorize>[] = []
    const swipe = () => {
      verdicts.push(authorize(app, card, MOST))
      return verdicts.at(-1)!
    }
    const loan = () => {
      requested.push(requestLoan(borrower))
      return requested[0]!
    }
    return {
      run: swipe,
      rivals: [swipe, loan],
      check: async at => {
        const approved = (await Promise.all(verdicts)).filter(decision => decision.approved)
        for (const { authorization_id } of approved) {
          await client.reverseSandboxAuthorization({ authorization_id })
        }
        expect(approved.length + (await takeBack(requested)), at).toBe(1)
      },
    }
  })
})

test('a clearing, while it is repeated, reversed, and its line drawn', async () => {
  const borrower = await readyBorrower(app)
  const card = await activeCard(app, borrower)
  await everywhere(async () => {
    const { authorization_id } = await authorize(app, card, 10_000)
    const requested: Promise<Loan>[] = []
    const rest = () => {
      requested.push(requestLoan(borrower))
      return requested[0]!
    }
    const clear = () => client.clearSandboxAuthorization({ authorization_id, amount: 10_000 })
    return {
      run: clear,
      rivals: [
        clear,
        () => client.reverseSandboxAuthorization({ authorization_id, amount: 10_000 }),
        rest,
      ],
      check: async () => {
        await takeBack(requested)
      },
    }
  })
})

test('a limit override, raised and ended, while its credit is requested', async () => {
  const borrower = await readyBorrower(app)
  const [line] = (await client.listCreditLines({ borrower: [borrower.id] })).data
  const ada = await createOperatorId(app)
  const raise = () =>
    inTransaction(tx =>
      overrideLimit(tx.as(ada), {
        credit_line_id: line!.id,
        pool_amount: 6_000_000n,
        reason: 'Seasonal stock',
        until_on: null,
      }),
    )
  await everywhere(async () => {
    const requested: Promise<Loan>[] = []
    const big = () => {
      requested.push(requestLoan(borrower, { amount: 5_900_000 }))
      return requested.at(-1)!
    }
    return {
      run: raise,
      rivals: [big],
      check: async at => {
        expect((await client.getCreditLine({ credit_line_id: line!.id })).pool_amount, at).toBe(
          6_000_000,
        )
        await takeBack(requested)
        const [override] = await inTransaction(tx =>
          tx.all(sql<{ id: string }>`
            select id from limit_overrides
            where credit_line_id = ${line!.id} and status = 'IN_FORCE'`),
        )
        await inTransaction(tx => endOverride(tx.as(ada), override!.id, 'The season is over'))
      },
    }
  })
})

test('a new assessment, while the line is drawn', async () => {
  const borrower = await readyBorrower(app)
  const about = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  const share = (amount: number) =>
    client.shareActivity({
      ...about,
      kind: 'SALES' as const,
      periods: [{ from: plusDays(DAY, -29), to: DAY, amount, count: 1 }],
    })
  let turn = 0
  await everywhere(async () => {
    await share(turn++ % 2 === 0 ? 6_000_000 : 7_000_000)
    const requested: Promise<Loan>[] = []
    const whole = () => {
      requested.push(requestLoan(borrower))
      return requested.at(-1)!
    }
    return {
      run: () => runAllJobs(app),
      rivals: [whole],
      check: async at => expect(await takeBack(requested), at).toBeLessThanOrEqual(1),
    }
  })
})

test('a step through the decision gate, repeated meanwhile', async () => {
  const borrower = await readyBorrower(app)
  await everywhere(async () => {
    const body = {
      loan_type: 'WALLET_FINANCING',
      amount: 10_000,
      auto_validate: true,
      borrower: { identifier: borrower.identifier },
      loan_to: { account_number: borrower.account_number },
      to_pay_at: plusDays(DAY, 5),
      to_repay_at: plusDays(DAY, 40),
      salt_id: crypto.randomUUID(),
    }
    const step = { method: 'POST' as const, path: '/loans', body }
    const { id } = await approvedDecision(app, [step])
    const sent: ReturnType<typeof sendPlanned>[] = []
    const send = () => {
      sent.push(sendPlanned(app, step, { headers: { 'x-decision-id': id } }))
      return sent.at(-1)!
    }
    return {
      run: send,
      rivals: [send],
      check: async at => {
        const done = (await Promise.all(sent)).filter(({ status }) => status < 300)
        expect(done, at).toHaveLength(1)
        await client.cancelLoan({ loan_id: done[0]!.json.id })
      },
    }
  })
})
