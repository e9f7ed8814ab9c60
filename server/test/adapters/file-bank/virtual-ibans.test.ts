/** Each loan that finances invoices has an IBAN of the bank's range, until none is left. */
import { expect, test } from 'vitest'
import {
  readRange,
  virtualIbans,
} from '../../../src/integrations/adapters/file-bank/virtual-ibans.ts'
import { parseIban } from '../../../src/platform/kit/iban.ts'
import { declareInvoice, lendOnInvoices } from '../../support/invoice-loans.ts'
import { refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { alertsOf, fileBankApp } from './support.ts'

const rangeOf = (text: string) => {
  const range = readRange(text)
  if (typeof range === 'string') throw new Error(range)
  return range
}

test.each([
  ['FRkk 3000 4000 019n nnnn nnnn nrr', '30004000019'],
  ['DEkk 3704 0044 05nn nnnn nn', '3704004405'],
  ['NLkk ABNA 0nnn nnnn nn', 'ABNA0'],
  ['BEkk 5390 0nnn nnrr', '53900'],
  ['ESkk 2100 0418 rr2n nnnn nnnn', '21000418'],
])('the IBANs of %s are valid, and each number has its own', (text, prefix) => {
  const ibans = virtualIbans(rangeOf(text))
  const numbers = [1, 2, 9, 10, 4711, 99_999]
  const found = numbers.map(number => ibans.ibanOf(number))
  for (const iban of found) {
    expect(parseIban(iban)).toMatchObject({ ok: true, iban })
    expect(iban.slice(4)).toMatch(new RegExp(`^${prefix}`))
  }
  expect(new Set(found).size).toBe(numbers.length)
})

test.each([
  ['FR76 30004', /write an IBAN with kk/],
  ['FRkk 3000 4000 01nn nnrr', /check length and digits/],
  ['DEkk 3704 0044 05XX nnnn nn', /check length and digits/],
  ['MTkk MALT 0110 00nn nnnn nnnn nnnn nnnn nnn', /at most 15 digits/],
])('the range %s is refused', (text, reason) => {
  expect(readRange(text)).toMatch(reason)
})

test('a loan on invoices has its own account, or is refused with an alert', async () => {
  const { app, bank, bankWith, database } = await fileBankApp()
  const borrower = await readyBorrower(app)
  const [first, second] = [await declareInvoice(app, borrower), await declareInvoice(app, borrower)]
  const loan = await lendOnInvoices(app, borrower, first.id)
  expect(loan.repayment_to.account_number).toBe(bank.ownAccount(1))
  const empty = bankWith({ range: null })
  Object.assign(bank, { ownAccount: empty.ownAccount })
  const refused = await refusal(lendOnInvoices(app, borrower, second.id))
  expect(refused).toMatchObject({ status: 503, code: 'account_unavailable' })
  await empty.exchange()
  expect(await alertsOf(database)).toMatchObject([{ kind: 'virtual_ibans_used_up' }])
  const extended = bankWith({})
  Object.assign(bank, { ownAccount: extended.ownAccount })
  await lendOnInvoices(app, borrower, second.id)
  await extended.exchange()
  expect(await alertsOf(database)).toEqual([])
})
