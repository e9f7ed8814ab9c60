/** HEADROOM_BANK=files: payouts and debits leave in files that are valid, and reports come back. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import * as banks from '../../../src/integrations/adapters/index.ts'
import { BANK_PROFILES, checkOrderXml } from '../../../src/integrations/bank-files/index.ts'
import { readLenderFile } from '../../../src/integrations/lender/index.ts'
import type { Bank } from '../../../src/integrations/ports/bank.ts'
import { missingForSchemas, schemaErrors } from '../../bank-files/writing/support.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { lend, loanOf, paymentsOfType, referenceOf } from '../../support/money.ts'
import { readyBorrower } from '../../support/story.ts'
import { statementFile, type TestStatement } from './statement-files.ts'
import {
  alertsOf,
  delivered,
  exchangeAll,
  type Folders,
  filesOf,
  makeFolders,
  putIncoming,
  read,
  reportOf,
  VIRTUAL_IBANS,
} from './support.ts'

let app: TestApp
let folders: Folders
let exchange: () => Promise<void>

beforeAll(async () => {
  folders = makeFolders()
  const env = {
    HEADROOM_BANK: 'files',
    FILE_BANK_PROFILE: 'generic-b2b-first',
    FILE_BANK_VIRTUAL_IBANS: VIRTUAL_IBANS,
    FILE_BANK_OUTGOING: folders.outgoing,
    FILE_BANK_INCOMING: folders.incoming,
    FILE_BANK_ARCHIVE: folders.archive,
  }
  const { bank } = readConfig(env, banks, readLenderFile)
  app = await testApp({ work: false, config: { bank } })
  exchange = async () => {
    await exchangeAll(app.context.ports.bank as Required<Bank>)
    await app.drain()
  }
})

/** The balance and the number of the last statement of each account. */
const last = new Map<string, readonly [balance: bigint, number: number]>()

/** The bank sends a statement, which is read and booked. */
async function books(statement: TestStatement): Promise<void> {
  const { id, account, entries } = statement
  const [opening, before] = last.get(account) ?? [0n, 0]
  const number = before + 1
  putIncoming(folders, `statement-${id}.xml`, statementFile({ ...statement, opening, number }))
  last.set(account, [entries.reduce((sum, { amount }) => sum + amount, opening), number])
  await exchange()
}

const files = () => filesOf(app.context.database)

test('faults in the settings are named', () => {
  const env = { HEADROOM_BANK: 'files', FILE_BANK_PROFILE: 'x', FILE_BANK_VIRTUAL_IBANS: 'FR76' }
  const read = () => readConfig(env, banks, readLenderFile)
  expect(read).toThrow(/FILE_BANK_PROFILE: write one of: generic, /)
  expect(read).toThrow(/FILE_BANK_VIRTUAL_IBANS: write an IBAN with kk/)
  expect(read).toThrow(/FILE_BANK_OUTGOING is needed/)
})

const validated = test.skipIf(missingForSchemas() !== null)

test('a payout leaves in a pain.001, and the bank’s rejection fails it', async () => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 250_000, days: 30 })
  await exchange()
  const [file] = await files()
  expect(file).toMatchObject({ state: 'SENT', orders: 1, execute_on: '2027-01-11' })
  const xml = delivered(folders).get(file!.name)!
  expect(xml).toContain('pain.001.001.09')
  expect(xml).toContain('<InstdAmt Ccy="EUR">2500.00</InstdAmt>')
  expect(xml).toContain(borrower.account_number)
  expect(xml).toContain(app.context.database.settings.lender.funding_iban)
  const report = reportOf({ message_id: file!.message_id, group: 'RJCT', reason: 'AC04' })
  putIncoming(folders, 'rejected.xml', report)
  await exchange()
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  expect(payout).toMatchObject({ status: 'FAILED', failure_reason: 'AC04' })
  expect((await files())[0]!.state).toBe('REJECTED')
})

test('statements settle a payout and a debit, return the debit, and bring a transfer', async () => {
  const { collection_iban, funding_iban } = app.context.database.settings.lender
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 90_000, days: 4 })
  await exchange()
  const [, file] = await files()
  putIncoming(folders, 'accepted.xml', reportOf({ message_id: file!.message_id, group: 'ACCP' }))
  await exchange()
  expect((await files())[1]!.state).toBe('ACCEPTED')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  // Only a statement says what was executed.
  expect(payout!.status).toBe('INSTRUCTED')
  const paid = { amount: 90_000n, payment_id: payout!.id }
  const left = { amount: -90_000n, details: [paid] }
  await books({
    id: '1',
    account: funding_iban,
    entries: [left, { amount: -50n, subfamily: 'CHRG' }],
  })
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  // The clock passes the days on which the debit is ordered and handed over.
  await app.client.advanceSandboxClock({ days: 3 })
  await exchange()
  const debited = (await files()).find(one => one.execute_on === '2027-01-15')!
  const xml = delivered(folders).get(debited.name)!
  expect(xml).toContain('pain.008.001.08')
  expect(xml).toContain('<InstdAmt Ccy="EUR">900.00</InstdAmt>')
  expect(xml).toContain(app.context.database.settings.lender.creditor_identifier)
  await app.client.advanceSandboxClock({ days: 1 })
  const on = '2027-01-15'
  const booked = { amount: 90_000n, batch: debited.message_id, on }
  await books({ id: '2', account: collection_iban, entries: [booked], day: on })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debit).toMatchObject({ status: 'PAID' })
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  const returned = { payment_id: debit!.id, returned_for: 'AM04' }
  const back = { amount: -90_300n, charge: 300n, details: [returned], on }
  await books({ id: '3', account: collection_iban, entries: [back], day: on })
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  const text = `Loan ${referenceOf(loan)}`
  const transfer = { amount: 40_000n, details: [{ amount: 40_000n, text }], on }
  const unknown = { amount: 1_234n, details: [{ text: 'who knows' }], on }
  await books({ id: '4', account: collection_iban, entries: [transfer, unknown], day: on })
  const repayments = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(repayments.map(one => [one.amount, one.payment_method])).toContainEqual([40_000, 'SCT'])
  await books({ id: '5', account: funding_iban, entries: [], day: on })
  const kinds = (await alertsOf(app.context.database)).map(alert => alert.kind)
  expect(kinds).toEqual(['suspense'])
  // Cash in the books is what the bank says, also after charges.
  const days = await read(app.context.database, tx =>
    tx.all(sql`select day, result, closing from tie_outs order by day, closing`),
  )
  expect(days).toEqual([
    { day: '2027-01-11', result: 'TIED', closing: -90_050n },
    { day: on, result: 'TIED', closing: -90_050n },
    { day: on, result: 'TIED', closing: 40_934n },
  ])
  expect((await app.verify()).findings).toEqual([])
})

validated('the files are valid by the official schemas and by SEPA’s rules', async () => {
  const written = (await files()).map(({ name }) => readFileSync(join(folders.outgoing, name)))
  const ofMessage = (message: string) => written.filter(bytes => bytes.includes(`xsd:${message}"`))
  expect(ofMessage('pain.001.001.09').length + ofMessage('pain.008.001.08').length).toBe(3)
  for (const message of ['pain.001.001.09', 'pain.008.001.08']) {
    expect(schemaErrors(message, ofMessage(message))).toEqual([])
  }
  const profile = BANK_PROFILES['generic-b2b-first']
  for (const bytes of written) expect(checkOrderXml(bytes, profile)).toEqual([])
})
