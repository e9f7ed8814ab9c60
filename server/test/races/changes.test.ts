/** Concurrent changes to one loan or bill, from two processes. */
import type { HeadroomProblem } from '@headroom/sdk'
import { beforeAll, expect, test } from 'vitest'
import { sendBill } from '../../src/credit/bills/index.ts'
import { type Loan, lend, loanOf } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { plusDays, type ReadyBorrower, readyBorrower } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

// 1 May is a Saturday, so the month's bills wait to be sent.
const DAY = '2027-04-20'

let servers: TwoServers
let borrower: ReadyBorrower
beforeAll(async () => {
  servers = await startTwoServers()
  await servers.app.client.advanceSandboxClock({ to: DAY })
  borrower = await readyBorrower(servers.app, 'SCT')
})

const codesOf = (refusals: HeadroomProblem[]) => [...new Set(refusals.map(r => r.code))]

function pay(turn: number, loan: Loan, amount: number) {
  return servers.client(turn).createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount,
    reference: loan.repayment_to_references[0]!,
    from_iban: loan.loan_to.account_number,
  })
}

test('one loan postponed many times concurrently is postponed once', async () => {
  const { app } = servers
  const loan = await lend(app, borrower, { amount: 50_000, days: 20 })
  const { answers, refusals } = await atOnce(12, turn =>
    servers.client(turn).changeLoan({
      loan_id: loan.id,
      to_repay_at: plusDays(DAY, 25 + turn),
    }),
  )
  expect(codesOf(refusals)).toEqual(['already_postponed'])
  const { to_repay_at, contractual_repayment_date } = await loanOf(app, loan.id)
  // Only the first change may postpone the loan. Later changes may still bring its date forward.
  expect(answers.map(answer => answer.to_repay_at).sort()[0]).toBe(to_repay_at)
  expect(contractual_repayment_date).toBe(`${plusDays(DAY, 20)}T00:00:00Z`)
  await expectVerifiedBooks(app)
})

test('concurrent terms and repayments: money counts once, terms apply or are refused', async () => {
  const { app } = servers
  const loans: Loan[] = []
  for (let count = 0; count < 4; count++) {
    loans.push(await lend(app, borrower, { amount: 20_000, days: 20 }))
  }
  const [{ answers, refusals }] = await Promise.all([
    atOnce(loans.length, turn =>
      servers.client(turn).setRepaymentTerms({
        repayment_terms: loans.map(({ id }) => ({
          loan_id: id,
          repayment_date: plusDays(DAY, 22 + turn),
          repayment_method: 'SCT' as const,
        })),
      }),
    ),
    atOnce(loans.length, turn => pay(turn + 1, loans[turn]!, 20_000)),
  ])
  expect(answers.length + refusals.length).toBe(loans.length)
  // A loan may have been postponed before, and repaid meanwhile: then both faults are reported.
  for (const { code, invalid_params } of refusals) {
    expect(['already_postponed', 'state_conflict', 'request_invalid']).toContain(code)
    for (const { reason } of invalid_params) expect(reason).toMatch(/^was postponed|^is /)
  }
  await app.drain()
  for (const { id } of loans) {
    expect(await loanOf(app, id)).toMatchObject({ status: 'CLOSED', repaid_amount: 20_000 })
  }
  await expectVerifiedBooks(app)
})

test('a bill sent by two runs and confirmed many times has one number and one mail', async () => {
  const { app } = servers
  await agree(app, { repayment_handled_by: 'PARTNER' })
  await lend(app, borrower, { amount: 100_000, days: 40 })
  await app.client.advanceSandboxClock({ to: '2027-05-01' })
  const [bill] = (await app.client.listBills({ status: ['GENERATED'] })).data
  const key = { partner_id: app.partner_id, id: bill!.id }
  const { answers, refusals } = await atOnce(4, () => sendBill(app.context.database, key))
  expect(refusals).toEqual([])
  expect(answers.reduce((sum, sent) => sum + sent, 0)).toBe(1)
  const noted = await atOnce(6, turn =>
    servers.client(turn).noteBillSent({
      bill_id: bill!.id,
      sent_on: '2027-05-01',
      to_email_addresses: [`payer${turn}@partner.example`],
    }),
  )
  expect(noted.refusals).toEqual([])
  await app.drain()
  const [sent] = (await app.client.listBills({ bill_id: [bill!.id] })).data
  expect(sent).toMatchObject({ status: 'TO_PAY' })
  const { data: mails } = await app.client.listSandboxMailbox({ page_size: 500 })
  expect(mails.filter(mail => mail.subject.includes(sent!.invoice_number!))).toHaveLength(1)
  const { data } = await app.client.listWebhookEvents({ type: ['Bill.TO_PAY'] })
  expect(data.filter(e => (e.data as { id: string }).id === bill!.id)).toHaveLength(1)
  await expectVerifiedBooks(app)
})
