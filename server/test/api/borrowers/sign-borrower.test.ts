/** Signing: its effects, repeated requests, and the repayment method that the borrower gets. */
import { createClient } from '@headroom/sdk'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { readForPartner } from '../../../src/platform/db/transaction.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client } = app
const now = () => new Date().toISOString()

async function generated(country: 'FRA' | 'DEU' | 'ESP' | 'NLD' | 'BEL' = 'FRA') {
  return client.generateSandboxBusiness({ country })
}

async function eventsOf(borrower_id: string): Promise<string[]> {
  const rows = await readForPartner(app.context, app.partner_id, tx =>
    tx.all(sql<{ type: string }>`
      select type from told_events
      where resource_id = ${borrower_id} or data->>'borrower_id' = ${borrower_id} order by id`),
  )
  return rows.map(row => row.type)
}

describe('with all the data a direct debit requires', () => {
  test.each(['FRA', 'DEU', 'ESP', 'NLD', 'BEL'] as const)('%s: READY at once', async country => {
    const { id } = await client.createBorrower(await generated(country))
    const signed_at = now()
    const signed = await client.signBorrower({ borrower_id: id, signed_at })
    expect(signed).toMatchObject({
      status: 'READY',
      signed_at,
      compliance_checks: { status: 'APPROVED' },
      next_actions: [],
    })
    const { data: methods } = await client.listRepaymentMethods({ borrower_id: id })
    expect(methods).toMatchObject([
      {
        payment_method: 'DIRECT_DEBIT',
        status: 'READY',
        is_main: true,
        missing: [],
        account_to_debit: { account_number: signed.accounts[0]!.account_number },
        account_to_credit: null,
        mandate: { scheme: 'CORE', status: 'READY', signed_at },
      },
    ])
    expect(methods[0]!.mandate!.reference).toMatch(/^[A-Z0-9]{1,35}$/)
    const { data: lines } = await client.listCreditLines({ borrower: [id] })
    expect(lines).toMatchObject([{ pool_amount: 5_000_000, balance_available: 5_000_000 }])
  })

  test('a borrower signed on creation is READY in the response', async () => {
    const created = await client.createBorrower({ ...(await generated()), signed_at: now() })
    expect(created).toMatchObject({ status: 'READY', compliance_checks: { status: 'APPROVED' } })
  })

  test('its events report each step in order', async () => {
    const { id } = await client.createBorrower({ ...(await generated()), signed_at: now() })
    const types = await eventsOf(id)
    const way = types.filter(type => type.startsWith('Borrower.'))
    expect(way).toEqual([
      'Borrower.TO_SIGN',
      'Borrower.SIGNED',
      'Borrower.COMPLIANCE_UPDATED',
      'Borrower.SDD_SETUP',
      'Borrower.READY',
    ])
    expect(types).toContain('BorrowerFinancialProductCreated')
    expect(types).toContain('BorrowerFinancialProductUpdated')
  })
})

test.each([
  'account_number',
  'bank_identifier',
  'business_email',
  'birth_date',
  'nationality',
  'country',
])('without %s it stays SIGNED, with no method or line', async missing => {
  const business = await generated()
  const [director] = business.directors
  const body = {
    ...business,
    account_number: missing === 'account_number' ? null : business.account_number,
    bank_identifier:
      missing === 'account_number' || missing === 'bank_identifier'
        ? null
        : business.bank_identifier,
    directors: [
      {
        ...director!,
        ...(['business_email', 'birth_date', 'nationality'].includes(missing)
          ? { [missing]: null }
          : {}),
        address: missing === 'country' ? null : director!.address,
      },
    ],
    signed_at: now(),
  }
  const created = await client.createBorrower(body)
  expect(created.status).toBe('SIGNED')
  expect((await client.listRepaymentMethods({ borrower_id: created.id })).data).toEqual([])
  expect((await client.listCreditLines({ borrower: [created.id] })).data).toEqual([])
})

describe('repeated', () => {
  test('with the same time returns the same answer, whatever the offset', async () => {
    const { id: borrower_id } = await client.createBorrower(await generated())
    const signed_at = new Date(Date.now() - 3_600_000)
    const first = await client.signBorrower({ borrower_id, signed_at: signed_at.toISOString() })
    const paris = new Date(signed_at.getTime() + 7_200_000).toISOString().replace('Z', '+02:00')
    const again = await client.signBorrower({ borrower_id, signed_at: paris })
    expect(again).toEqual({ ...first, contract_s3_url: again.contract_s3_url })
    const { data } = await client.listRepaymentMethods({ borrower_id })
    expect(data).toHaveLength(1)
  })

  test('with another time is refused, and the first time is kept', async () => {
    const { id: borrower_id } = await client.createBorrower(await generated())
    const first = await client.signBorrower({ borrower_id, signed_at: '2026-03-01T10:00:00Z' })
    const problem = await refusal(
      client.signBorrower({ borrower_id, signed_at: '2026-03-01T10:00:01Z' }),
    )
    expect(problem).toMatchObject({ status: 409, code: 'state_conflict' })
    const after = await client.getBorrower({ borrower_id })
    expect(after.signed_at).toBe(first.signed_at)
  })

  test('20 times concurrently signs once', async () => {
    const { id: borrower_id } = await client.createBorrower(await generated())
    const signed_at = now()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.signBorrower({ borrower_id, signed_at })),
    )
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set(['READY']))
    expect((await eventsOf(borrower_id)).filter(type => type === 'Borrower.SIGNED')).toHaveLength(1)
    expect((await client.listRepaymentMethods({ borrower_id })).data).toHaveLength(1)
  })
})

test('requires a time that is not in the future', async () => {
  const { id: borrower_id } = await client.createBorrower(await generated())
  const { now } = await client.getSandboxClock()
  const soon = new Date(Date.parse(now) + 3_600_000).toISOString()
  expect(await faultsOf(client.signBorrower({ borrower_id, signed_at: soon }))).toEqual({
    signed_at: 'is in the future',
  })
  const empty = client.signBorrower({ borrower_id } as { borrower_id: string; signed_at: string })
  expect(await faultsOf(empty)).toHaveProperty('signed_at')
  expect((await client.getBorrower({ borrower_id })).status).toBe('TO_SIGN')
})

test('the accepted text is in the preferred language, or the country’s first one', async () => {
  for (const [country, preferred, expected] of [
    ['FRA', 'de', 'fr'],
    ['FRA', 'en', 'en'],
    ['BEL', 'fr', 'fr'],
    ['BEL', 'es', 'nl'],
  ] as const) {
    const business = { ...(await generated(country)), preferred_language: preferred }
    const created = await client.createBorrower({ ...business, signed_at: now() })
    const { data } = await client.listBorrowerFinancialProducts({ borrower_id: created.id })
    const terms = data[0]!.financial_product.configuration.tcs_documents
    const signed = terms.find(one => one.document_url.includes(created.contract_id!))
    expect(signed, `${country} ${preferred}`).toMatchObject({
      language: expected,
      is_default: true,
    })
    const pdf = await fetch(created.contract_s3_url!)
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
  }
})

test('a version 2023-09 client without a method gets transfers', async () => {
  const old = createClient({ base_url: app.base_url, key: app.key, version: '2023-09' })
  const { identifier } = await generated()
  const created = await old.createBorrower({ identifier, signed_at: now() })
  expect(created.status).toBe('READY')
  const { data } = await old.listRepaymentMethods({ borrower_id: created.id })
  expect(data).toMatchObject([
    {
      payment_method: 'SCT',
      status: 'READY',
      is_main: true,
      mandate: null,
      account_to_debit: null,
      account_to_credit: { account_number_type: 'iban' },
    },
  ])
  const complete = await old.createBorrower({ ...(await generated()), signed_at: now() })
  const { data: debits } = await old.listRepaymentMethods({ borrower_id: complete.id })
  expect(debits.map(method => method.payment_method)).toEqual(['DIRECT_DEBIT'])
})

test("an unknown borrower or another partner's is 404", async () => {
  const { id } = await client.createBorrower(await generated())
  for (const [caller, borrower_id] of [
    [client, newId()],
    [app.second, id],
  ] as const) {
    const problem = await refusal(caller.signBorrower({ borrower_id, signed_at: now() }))
    expect(problem).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
})
