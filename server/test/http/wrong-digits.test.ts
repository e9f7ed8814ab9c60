/** Wrong check digits block no other request, however many a request has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { DELAY_MS_MAX, measuredSender } from '../support/measured-sender.ts'

let app: TestApp
const { sender, send } = measuredSender(() => app)
afterAll(() => sender.stop())
beforeAll(async () => {
  app = await testApp({ work: false })
  // Excludes one-time loading at the first request from the measurements.
  await app.client.listKeys()
})

describe('wrong check digits', () => {
  const TYPES = {
    FR00404833048: 'vat_number',
    '0123456780': 'belgium_registration_number',
    '12345678A': 'nif',
    A1234567B: 'cif',
    '732829321': 'siren',
  }
  const WRONG = Object.entries(TYPES)
  const SIRENS = ['404833048', '732829320', '356000000']
  /** The nth of 240 different VAT numbers, nearly all of them with wrong check digits. */
  const wrongVat = (n: number) => `FR${String(n % 80).padStart(2, '0')}${SIRENS[n % 3]}`

  it.each(['/invoices', '/loans', '/bills', '/credit_lines'])(
    'in every filter of %s block no other request',
    async path => {
      const own = { '/invoices': ['buyer', 'seller'], '/bills': ['business_identifier'] }
      const filters = own[path as keyof typeof own] ?? ['borrower']
      const named = (name: string) =>
        Array.from({ length: 200 }, (_, n) => `${name}=${wrongVat(n)}`)
      const query = filters.flatMap(named).join('&')
      const { status, held_up_ms } = await send(`${path}?${query}`, { method: 'GET' }, 8)
      expect(status).toBe(200)
      expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
    },
  )

  it.each(WRONG)(
    '%s in every row of a batch block no other request, and are counted',
    async (...named) => {
      const [identifier, identifier_type] = named
      const party = { identifier, identifier_type }
      const invoices = Array.from({ length: 4_000 }, (_, n) => ({
        buyer: party,
        seller: party,
        direction: 'supplier',
        invoice_number: `I-${n}`,
        issued_at: '2026-01-05',
        due_at: '2026-02-05',
        net_amount: 1,
      }))
      const company = { identifier: 'FR83404833048', identifier_type: 'vat_number' }
      const body = JSON.stringify({ ...company, invoices })
      const { json, held_up_ms } = await send('/business/data/invoices', { body })
      expect(json.invalid_params[0].reason).toContain('check character')
      expect(json.faults_count).toBe(8_000)
      expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
    },
  )
})
