/** Ids and references of order files lead back to our payments. */

import { expect, test } from 'vitest'
import {
  endToEndIdOf,
  fileNameOf,
  partyOf,
  paymentIdOf,
  remittanceOf,
} from '../../../src/integrations/bank-files/index.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { debitFile, generic, idOf, PROFILES, transferFile } from './support.ts'

test('an end-to-end id leads back to its payment, however the bank writes it', () => {
  const payment_id = newId()
  const id = endToEndIdOf(payment_id)
  expect(id).toMatch(/^[0-9A-F]{32}$/)
  expect(paymentIdOf(id)).toBe(payment_id)
  expect(paymentIdOf(` ${id.toLowerCase()} `)).toBe(payment_id)
  expect(endToEndIdOf(payment_id.toUpperCase())).toBe(id)
})

test.for([
  '',
  'NOTPROVIDED',
  '01936D0A00007000800000000000000',
  '01936D0A000070008000000000000000A',
  'G1936D0A000070008000000000000000',
])('%j is no payment of ours', text => {
  expect(paymentIdOf(text)).toBeNull()
})

test('only a UUID becomes an end-to-end id', () => {
  expect(() => endToEndIdOf('payment 1')).toThrow('is no UUID')
})

test('one creditor reference stays one, everything else is a text', () => {
  expect(remittanceOf([])).toBeNull()
  expect(remittanceOf([' '])).toBeNull()
  expect(remittanceOf(['rf18 5390 0754 7034'])).toEqual({ reference: 'RF18539007547034' })
  expect(remittanceOf(['RF19539007547034'])).toEqual({ text: 'RF19539007547034' })
  expect(remittanceOf(['RF18539007547034', 'INV 1'])).toEqual({ text: 'RF18539007547034 INV 1' })
  expect(remittanceOf(['', 'RF18539007547034', ' '])).toEqual({ reference: 'RF18539007547034' })
  expect(remittanceOf(['', 'A', ' ', ' B '])).toEqual({ text: 'A B' })
})

test('of several references, as many as fit stay whole', () => {
  const invoice = (number: number) => `INVOICE-${number}`
  const many = Array.from({ length: 30 }, (_, index) => invoice(index + 10))
  const { text } = remittanceOf(many) as { text: string }
  // 12 references of 10 characters, with spaces between them.
  expect(text).toBe(many.slice(0, 12).join(' '))
  // A sharp s becomes two letters.
  expect(remittanceOf(['ß'.repeat(69), 'AB', 'C'])).toEqual({ text: 'ß'.repeat(69) })
  expect(remittanceOf(['A'.repeat(150), 'B'])).toEqual({ text: 'A'.repeat(150) })
})

test('a party without a BIC has none', () => {
  const party = { iban: 'DE89370400440532013000', name: 'A' }
  expect(partyOf({ ...party, bic: '' })).toEqual({ ...party, bic: null, address: null })
  expect(partyOf({ ...party, bic: 'COBADEFF' })).toMatchObject({ bic: 'COBADEFF' })
})

test('a message id with signs names no file', () => {
  for (const message_id of ['../../etc/$&', '', 'a_b', 'a b', 'x'.repeat(36)]) {
    expect(() => fileNameOf({ ...transferFile(), message_id }, generic)).toThrow('a message id')
  }
})

test.for(PROFILES)('names of files in the profile %s are safe and their own', ([, profile]) => {
  const names = [transferFile(), debitFile()].flatMap(file => [
    fileNameOf(file, profile),
    fileNameOf({ ...file, message_id: idOf(9) }, profile),
  ])
  expect(new Set(names).size).toBe(4)
  for (const name of names) expect(name).toMatch(/^pain\.00[18]\.001\.0\d-2026-11-27-[\w-]+\.xml$/)
})
