/** Commands that book incoming money, each paused at every statement while rivals run. */
import { expect, test } from 'vitest'
import { generateBills } from '../../src/credit/bills/index.ts'
import { closeCardCycles } from '../../src/credit/cards/index.ts'
import { approveWriteOff, proposeWriteOff } from '../../src/credit/loans/index.ts'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import {
  instructDuePayments,
  receiveBankNews,
  sendBackSuspense,
} from '../../src/money/payments/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { setClock } from '../support/app.ts'
import { activeCard, spend } from '../support/cards.ts'
import { type Loan, loanOf, onAccount, paymentsOfType } from '../support/money.ts'
import { createOperatorId } from '../support/operators.ts'
import { openCase } from '../support/recollection.ts'
import { plusDays, type ReadyBorrower, readyBorrower } from '../support/story.ts'
import { createPauseTest, idleApp, request, runAllJobs } from './pauses.ts'

const DAY = '2027-01-29'
const app = await idleApp(DAY)
const { client } = app
const { database } = app.context
const everywhere = createPauseTest(app)

/** A line of €50,000 has room for one loan of this amount, not for two. */
const MOST = 4_700_000

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(database, { partners: '*', actor: 'service' }, work)

async function lend(borrower: ReadyBorrower, amount: number, days = 30): Promise<Loan> {
  const { id } = await request(app, borrower, { amount, today: DAY, pay_in: 0, days })
  await runAllJobs(app)
  return loanOf(app, id)
}

/** Requests `beyond` cents more than the available credit, and cancels the loan if approved. */
async function requestLoan(borrower: ReadyBorrower, beyond: number, today = DAY) {
  const [line] = (await client.listCreditLines({ borrower: [borrower.id] })).data
  const amount = line!.balance_available! + beyond
  const { id, status } = await request(app, borrower, { amount, today })
  if (status !== 'DECLINED') await client.cancelLoan({ loan_id: id })
}

interface Paid {
  readonly amount: number
  readonly value_on?: string
  readonly reference?: string
}

/** Returns a function that receives a transfer for a loan: the same bank news on each call. */
function transferTo(loan: Loan, { amount, value_on = DAY, reference }: Paid) {
  const raw = {
    to_iban: loan.repayment_to.account_number,
    from_iban: loan.loan_to.account_number,
    from_name: 'Payer',
    reference: reference ?? loan.repayment_to_references[0]!,
  }
  const news = {
    bank_reference: crypto.randomUUID(),
    kind: 'TRANSFER_IN' as const,
    payment_id: null,
    amount: BigInt(amount),
    value_on: day(value_on),
    reason_code: null,
    raw,
  }
  return () => inTransaction(async tx => receiveBankNews(tx, [await onAccount(tx, news)]))
}

async function pay(loan: Loan, paid: Paid): Promise<void> {
  await transferTo(loan, paid)()
  await runAllJobs(app)
}

/** Receives bank news about one of the service's own payments. */
const result = (payment: { id: string; amount: number }, kind: 'SETTLED' | 'RETURNED', on = DAY) =>
  inTransaction(async tx => {
    const news = {
      bank_reference: `${kind} ${payment.id}`,
      kind,
      payment_id: payment.id,
      amount: BigInt(payment.amount),
      value_on: day(on),
      raw: {},
      reason_code: kind === 'RETURNED' ? 'AM04' : null,
    }
    await receiveBankNews(tx, [await onAccount(tx, news)])
  })

test('a transfer reported twice by the bank is received once, and booked', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(borrower, MOST)
  let paid = 0
  await everywhere(async () => {
    const receive = transferTo(loan, { amount: 1_000 })
    paid += 1_000
    return {
      run: receive,
      rivals: [receive],
      check: async at => {
        await runAllJobs(app)
        expect((await loanOf(app, loan.id)).repaid_nominal_amount, at).toBe(paid)
      },
    }
  })
})

test('booking a transfer, while the credit it frees is requested', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(borrower, MOST)
  await everywhere(async () => {
    await transferTo(loan, { amount: 1_000 })()
    return { run: () => runAllJobs(app), rivals: [() => requestLoan(borrower, 1_000)] }
  })
})

test('an overpayment: its refund, while the same amount is paid again', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    await transferTo(loan, { amount: 15_000 })()
    return {
      run: () => runAllJobs(app),
      rivals: [() => pay(loan, { amount: 10_000 }), () => requestLoan(borrower, 1)],
      check: async at => {
        const refunds = await paymentsOfType(app, loan, 'REFUND')
        const sum = refunds.filter(p => p.status !== 'CANCELED').reduce((s, p) => s + p.amount, 0)
        expect(sum, at).toBe(at === 'not held up' ? 5_000 : 15_000)
      },
    }
  })
})

for (const method of ['DIRECT_DEBIT', 'P2P'] as const) {
  test(`a collection by ${method} is returned while its credit is requested`, async () => {
    const borrower = await readyBorrower(app, method === 'P2P' ? 'SCT' : method)
    if (method === 'P2P') {
      const wallet = await client.openWallet({ borrower_id: borrower.id })
      await client.addRepaymentMethod({
        borrower_id: borrower.id,
        payment_method: method,
        is_default_repayment_method: true,
        apply_to_all_active_loans: false,
      })
      const to_iban = wallet.account_number
      await client.createSandboxIncomingTransfer({ to_iban, amount: 10_000_000 })
    }
    const kinds = ['SETTLED', 'RETURNED'] as const
    for (const kind of method === 'P2P' ? kinds.slice(0, 1) : kinds) {
      await everywhere(async () => {
        const loan = await lend(borrower, 10_000)
        const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
        await setClock(app, debit!.scheduled_at!.slice(0, 10))
        await runPaged(database, instructDuePayments(day(debit!.scheduled_at!.slice(0, 10))))
        await setClock(app, DAY)
        if (kind === 'RETURNED') {
          await result(debit!, 'SETTLED')
          await runAllJobs(app)
        }
        await result(debit!, kind)
        return { run: () => runAllJobs(app), rivals: [() => requestLoan(borrower, 10_000)] }
      })
    }
  })
}

test('another due date or method, while it changes again and is paid', async () => {
  const borrower = await readyBorrower(app)
  const terms = (loan: Loan, on: string) =>
    client.setRepaymentTerms({
      repayment_terms: [{ loan_id: loan.id, repayment_date: on, repayment_method: 'SCT' as const }],
    })
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    const change = (days: number) =>
      client.changeLoan({ loan_id: loan.id, to_repay_at: plusDays(DAY, 30 + days) })
    return {
      run: () => change(3),
      rivals: [() => change(4), () => terms(loan, plusDays(DAY, 20))],
      check: async at => expect((await loanOf(app, loan.id)).status, at).toBe('TO_REPAY'),
    }
  })
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    return {
      run: () => terms(loan, plusDays(DAY, 20)),
      rivals: [() => pay(loan, { amount: 10_000 })],
      check: async at => {
        const { status } = await loanOf(app, loan.id)
        expect(status, at).toBe(at === 'not held up' ? 'TO_REPAY' : 'CLOSED')
      },
    }
  })
})

test('an unmatched payment is matched or returned, never both', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(borrower, MOST)
  const ada = await createOperatorId(app)
  const arrange = async () => {
    await pay(loan, { amount: 1_000, reference: 'nothing we know' })
    const { rows } = await inTransaction(tx =>
      tx.raw(`select id from suspense_items where status = 'OPEN'`),
    )
    expect(rows).toHaveLength(1)
    const { id } = rows[0]
    return {
      match: () => inTransaction(tx => matchSuspense(tx.as(ada), id, loan.id)),
      send: () => inTransaction(tx => sendBackSuspense(tx.as(ada), id)),
    }
  }
  await everywhere(async () => {
    const { match, send } = await arrange()
    return { run: match, rivals: [send, match] }
  })
  await everywhere(async () => {
    const { match, send } = await arrange()
    return { run: send, rivals: [match, send] }
  })
})

test('undoing a match, while its surplus is refunded', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const ada = await createOperatorId(app)
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    await pay(loan, { amount: 11_000, reference: 'nothing we know' })
    const { rows } = await inTransaction(tx =>
      tx.raw(`select id from suspense_items where status = 'OPEN' order by id desc limit 1`),
    )
    const { id } = rows[0]
    await inTransaction(tx => matchSuspense(tx.as(ada), id, loan.id))
    await runAllJobs(app)
    const [refund] = await paymentsOfType(app, loan, 'REFUND')
    expect(refund).toMatchObject({ amount: 1_000, status: 'SCHEDULED' })
    const due = day(refund!.scheduled_at!.slice(0, 10))
    return {
      run: () => inTransaction(tx => unmatchSuspense(tx.as(ada), id)),
      rivals: [() => runPaged(database, instructDuePayments(due))],
      check: async at => {
        const [{ status } = expect.fail()] = await paymentsOfType(app, loan, 'REFUND')
        const isRepaid = (await loanOf(app, loan.id)).status !== 'TO_REPAY'
        expect(status, at).toBe(isRepaid ? 'INSTRUCTED' : 'CANCELED')
      },
    }
  })
})

test('a write-off approved twice, while its loan is paid', async () => {
  const [ada, ben] = [await createOperatorId(app), await createOperatorId(app)]
  await everywhere(async () => {
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(borrower, 10_000)
    const input = { loan_id: loan.id, written_off_on: day(DAY), reason: 'Insolvent, no assets' }
    const id = await inTransaction(tx => proposeWriteOff(tx.as(ada), input))
    const approve = () => inTransaction(tx => approveWriteOff(tx.as(ben), id))
    return { run: approve, rivals: [approve, () => pay(loan, { amount: 10_000 })] }
  })
})

test('a plan is created, started and broken, while its loan is paid', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const plan = async (loan: Loan) => {
    const { id: recollection_case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const terms = {
      number_of_installment: 2,
      period: 'weekly' as const,
      repayment_method: 'SCT' as const,
      start_date: plusDays(DAY, 5),
    }
    const computed = await client.computeRecollectionInstallmentPlan({
      recollection_case_id,
      ...terms,
    })
    const create = () =>
      client.createRecollectionInstallmentPlan({ recollection_case_id, ...computed })
    const close = () => client.closeRecollectionCase({ recollection_case_id, reason: 'Agreed' })
    return { create, close }
  }
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    const { create } = await plan(loan)
    return { run: create, rivals: [create, () => pay(loan, { amount: 1_000 })] }
  })
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    const { create } = await plan(loan)
    await create()
    return { run: () => runAllJobs(app), rivals: [() => pay(loan, { amount: 1_000 })] }
  })
  await everywhere(async () => {
    const loan = await lend(borrower, 10_000)
    const { create, close } = await plan(loan)
    await create()
    await runAllJobs(app)
    return { run: close, rivals: [close, () => pay(loan, { amount: 1_000 })] }
  })
})

test('a card cycle closes, while its line is drawn', async () => {
  const borrower = await readyBorrower(app)
  const card = await activeCard(app, borrower)
  let month = DAY.slice(0, 7)
  await everywhere(async () => {
    await setClock(app, `${month}-28`)
    await spend(app, card, 1_000)
    month = plusDays(`${month}-28`, 5).slice(0, 7)
    await setClock(app, `${month}-01`)
    const close = () => runPaged(database, closeCardCycles(day(`${month}-01`)))
    return { run: close, rivals: [close, () => requestLoan(borrower, 1, `${month}-01`)] }
  })
})

test("a month's bills and their corrections, while payments for that month arrive", async () => {
  await setClock(app, DAY)
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(borrower, MOST, 90)
  let month = '2027-01'
  const next = async () => {
    month = plusDays(`${month}-28`, 5).slice(0, 7)
    await setClock(app, `${month}-01`)
    return day(`${month}-01`)
  }
  await everywhere(async () => {
    const first = await next()
    const bill = () => generateBills(database, first)
    const late = { amount: 100, value_on: plusDays(first, -1) }
    return { run: bill, rivals: [bill, () => pay(loan, late)] }
  })
  await generateBills(database, await next())
  const value_on = plusDays(`${month}-01`, -3)
  await everywhere(async () => {
    await transferTo(loan, { amount: 100, value_on })()
    const today = `${month}-01`
    return { run: () => runAllJobs(app), rivals: [() => requestLoan(borrower, 100, today)] }
  })
})
