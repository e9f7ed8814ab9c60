/** The bank is selected by name: its settings are read at startup, and it gets every order. */
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { readLenderFile } from '../../src/integrations/lender/index.ts'
import { testApp } from '../support/app.ts'
import { lend, loanOf, paymentsOfType } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'
import * as banks from './banks.ts'
import type { MemoryBank } from './memory/index.ts'

/** Covers five TARGET days plus closed days in between. */
const DAYS_MAX = 12

const read = (env: NodeJS.ProcessEnv) => readConfig(env, banks, readLenderFile)

test('the sandbox bank is the default; an unknown name is rejected', () => {
  expect(read({}).bank.adapter).toBe(banks.sandbox)
  expect(() => read({ HEADROOM_BANK: 'goldmine' })).toThrow(
    `HEADROOM_BANK is one of: ${Object.keys(banks).sort().join(', ')}`,
  )
})

test("faults in the bank's settings are reported together with all others", () => {
  expect(() => read({ HEADROOM_BANK: 'memory', PORT: 'x' })).toThrow(
    /PORT is a whole number.*; MEMORY_BANK_CODE is needed/,
  )
  expect(() => read({ HEADROOM_BANK: 'memory', MEMORY_BANK_CODE: '1' })).toThrow(
    'MEMORY_BANK_CODE: a German bank code has eight digits',
  )
})

test('a loan is paid out and repaid at the chosen bank', async () => {
  const { bank } = read({ HEADROOM_BANK: 'memory', MEMORY_BANK_CODE: '99999999' })
  const app = await testApp({ work: false, config: { bank } })
  const { orders } = app.context.ports.bank as MemoryBank
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 250_000, days: 5 })
  const [payout] = [...orders.values()]
  expect(payout).toMatchObject({ kind: 'SCT', direction: 'OUT', amount: 250_000n })
  expect(payout!.counterparty.iban).toBe(borrower.account_number)
  const seen = () => loanOf(app, loan.id)
  for (let day = 0; day < DAYS_MAX && !(await seen()).repaid_nominal_at; day++) {
    await app.client.advanceSandboxClock({ days: 1 })
  }
  const [paid] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  const [repaid] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect([paid?.status, repaid?.status]).toEqual(['PAID', 'PAID'])
  expect([...orders.values()].slice(0, 2).map(order => order.kind)).toEqual(['SCT', 'SDD'])
  // Account numbers come from the chosen bank.
  expect(app.context.ports.bank.ownAccount(1)).toMatch(/^DE\d\d99999999/)
  expect((await app.verify()).findings).toEqual([])
})
