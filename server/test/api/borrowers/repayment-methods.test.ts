/** Repayment methods: data that direct debit requires, mandates, the default, repeated requests. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/kit/ids.ts'
import { readPdf } from '../../documents/samples.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

const app = await testApp({ work: false })
const { client } = app

const FLAGS = { is_default_repayment_method: true, apply_to_all_active_loans: false }
const REPRESENTATIVE = {
  first_name: 'Léa',
  last_name: 'Noël',
  birth_date: '1980-05-03',
  nationality: 'FR',
  country_of_residence: 'BEL',
}

/** A signed borrower created from its number alone, and an account to debit. */
async function signedBorrower() {
  const { identifier } = await client.generateSandboxBusiness({ country: 'FRA' })
  const created = await client.createBorrower({ identifier, signed_at: new Date().toISOString() })
  const account = await client.generateSandboxIban({ country: 'FRA' })
  const from_account = {
    account_number: account.iban,
    bank_identifier: account.bank_identifier,
  }
  return { ...created, borrower_id: created.id, from_account }
}

const debit = { payment_method: 'DIRECT_DEBIT', ...FLAGS } as const
const transfer = { payment_method: 'SCT', ...FLAGS } as const
const complete = { ...debit, representative: REPRESENTATIVE, business_email: 'lea@noel.example' }

describe('a direct debit', () => {
  test('lists every missing field by name, and writes nothing', async () => {
    const { borrower_id } = await signedBorrower()
    const faults = await faultsOf(client.addRepaymentMethod({ borrower_id, ...debit }))
    expect(Object.keys(faults)).toEqual([
      'from_account.account_number',
      'from_account.bank_identifier',
      'business_email',
      'representative.birth_date',
      'representative.country_of_residence',
      'representative.nationality',
    ])
    expect((await client.listRepaymentMethods({ borrower_id })).total).toBe(0)
  })

  test.each(['birth_date', 'country_of_residence', 'nationality'])(
    'lists only the representative’s %s when nothing else is missing',
    async field => {
      const { borrower_id, from_account } = await signedBorrower()
      const representative = { ...REPRESENTATIVE, [field]: null }
      const faults = await faultsOf(
        client.addRepaymentMethod({ borrower_id, ...complete, from_account, representative }),
      )
      expect(Object.keys(faults)).toEqual([`representative.${field}`])
    },
  )

  test('reports invalid data once, and not as missing', async () => {
    const { borrower_id } = await signedBorrower()
    const faults = await faultsOf(
      client.addRepaymentMethod({
        borrower_id,
        ...complete,
        from_account: { account_number: 'FR7630006000011234567890188', bank_identifier: 'X' },
        representative: { birth_date: '2020-01-01', nationality: 'XX', country_of_residence: 'FR' },
      }),
    )
    expect(faults).toEqual({
      'from_account.account_number': expect.stringContaining('mod 97'),
      'from_account.bank_identifier': expect.stringContaining('BIC'),
      'representative.birth_date': 'is of a person under 18',
      'representative.nationality': expect.stringContaining('country code'),
    })
  })

  test('reports schema faults and business faults in one answer', async () => {
    const { borrower_id, from_account } = await signedBorrower()
    const faults = await faultsOf(
      client.addRepaymentMethod({
        borrower_id,
        ...complete,
        from_account: { ...from_account, account_number: 'FR7630006000011234567890188' },
        business_email: 'x',
        representative: {
          birth_date: '2020-02-30',
          nationality: 'FRENCH',
          country_of_residence: 'ZZ',
        },
        mandate: { scheme: 'CORE', signed_at: '2199-01-01T00:00:00Z' },
      }),
    )
    expect(Object.keys(faults).sort()).toEqual([
      'business_email',
      'from_account.account_number',
      'mandate.signed_at',
      'representative.birth_date',
      'representative.country_of_residence',
      'representative.nationality',
    ])
  })

  test('with complete data is READY with its mandate, and makes the borrower READY', async () => {
    const { borrower_id, from_account, name } = await signedBorrower()
    const method = await client.addRepaymentMethod({
      borrower_id,
      ...complete,
      name: 'House bank',
      from_account,
      mandate: { scheme: 'B2B', signed_at: '2026-03-01T10:00:00Z' },
    })
    expect(method).toMatchObject({
      name: 'House bank',
      status: 'READY',
      is_main: true,
      missing: [],
      account_to_debit: from_account,
      mandate: { scheme: 'B2B', status: 'READY', signed_at: '2026-03-01T10:00:00.000Z' },
    })
    const borrower = await client.getBorrower({ borrower_id })
    expect(borrower.status).toBe('READY')
    expect(borrower.accounts).toMatchObject([from_account])
    expect(borrower.directors).toMatchObject([
      { first_name: 'Léa', birth_date: '1980-05-03', address: { country: 'BEL' } },
    ])
    const { mandate } = method
    const pdf = await fetch(mandate!.document_url!)
    const text = (await readPdf(Buffer.from(await pdf.arrayBuffer()))).text
    for (const words of [mandate!.reference, mandate!.creditor_identifier, name!, 'Léa Noël']) {
      expect(text).toContain(words)
    }
  })

  test('uses data on file: the account, its BIC, the director, the e-mail', async () => {
    const business = await client.generateSandboxBusiness({ country: 'DEU' })
    const { id: borrower_id } = await client.createBorrower(business)
    const method = await client.addRepaymentMethod({ borrower_id, ...debit })
    expect(method.account_to_debit!.account_number).toBe(business.account_number)
    const signed_at = new Date().toISOString()
    expect((await client.signBorrower({ borrower_id, signed_at })).status).toBe('READY')
    const { data } = await client.listRepaymentMethods({ borrower_id })
    expect(data.map(one => one.id)).toEqual([method.id])
  })

  test('for the same account again returns the same method', async () => {
    const { borrower_id, from_account } = await signedBorrower()
    const first = await client.addRepaymentMethod({ borrower_id, ...complete, from_account })
    const again = await client.addRepaymentMethod({
      borrower_id,
      ...debit,
      name: 'Renamed',
      from_account: { account_number: from_account.account_number.replace(/(.{4})/g, '$1 ') },
    })
    expect(again).toMatchObject({ id: first.id, name: 'Renamed', is_main: true })
    expect(again.mandate!.reference).toBe(first.mandate!.reference)
    expect((await client.listRepaymentMethods({ borrower_id })).total).toBe(1)
  })

  test('20 times concurrently gives one method', async () => {
    const { borrower_id, from_account } = await signedBorrower()
    const methods = await Promise.all(
      Array.from({ length: 20 }, () =>
        client.addRepaymentMethod({ borrower_id, ...complete, from_account }),
      ),
    )
    expect(new Set(methods.map(method => method.id)).size).toBe(1)
  })

  test('for another company’s account is refused, whichever its partner', async () => {
    const theirs = await app.second.generateSandboxBusiness({ country: 'ESP' })
    await app.second.createBorrower(theirs)
    const { borrower_id } = await signedBorrower()
    const faults = await faultsOf(
      client.addRepaymentMethod({
        borrower_id,
        ...complete,
        from_account: {
          account_number: theirs.account_number!,
          bank_identifier: theirs.bank_identifier,
        },
      }),
    )
    expect(faults).toEqual({
      'from_account.account_number': 'is not an account of this company',
    })
    expect((await client.getBorrower({ borrower_id })).accounts).toEqual([])
  })
})

describe('transfers', () => {
  test('are READY immediately, give the account to pay to, and ready the borrower', async () => {
    const { borrower_id } = await signedBorrower()
    const method = await client.addRepaymentMethod({ borrower_id, ...transfer })
    expect(method).toMatchObject({
      payment_method: 'SCT',
      status: 'READY',
      is_main: true,
      mandate: null,
      account_to_debit: null,
      account_to_credit: { account_number_type: 'iban', bank_identifier_type: 'bic' },
    })
    expect((await client.getBorrower({ borrower_id })).status).toBe('READY')
    const again = await client.addRepaymentMethod({ borrower_id, ...transfer })
    expect(again.id).toBe(method.id)
  })
})

describe('the default method', () => {
  test('is the first method until another is chosen; the first stays in force', async () => {
    const { borrower_id, from_account } = await signedBorrower()
    const first = await client.addRepaymentMethod({
      borrower_id,
      ...transfer,
      is_default_repayment_method: false,
    })
    expect(first.is_main).toBe(true)
    const second = await client.addRepaymentMethod({
      borrower_id,
      ...complete,
      from_account,
      is_default_repayment_method: false,
    })
    expect(second.is_main).toBe(false)
    const chosen = await client.addRepaymentMethod({ borrower_id, ...complete, from_account })
    expect(chosen).toMatchObject({ id: second.id, is_main: true })
    const { data } = await client.listRepaymentMethods({ borrower_id })
    expect(data.map(one => [one.id, one.is_main, one.status])).toEqual([
      [second.id, true, 'READY'],
      [first.id, false, 'READY'],
    ])
  })

  test('stays unique under concurrent choices', async () => {
    const { borrower_id } = await signedBorrower()
    const accounts = await Promise.all(
      Array.from({ length: 8 }, () => client.generateSandboxIban({ country: 'FRA' })),
    )
    await Promise.all(
      accounts.map(({ iban, bank_identifier }) =>
        client.addRepaymentMethod({
          borrower_id,
          ...complete,
          from_account: { account_number: iban, bank_identifier },
        }),
      ),
    )
    const { data } = await client.listRepaymentMethods({ borrower_id })
    expect(data).toHaveLength(8)
    expect(data.filter(method => method.is_main)).toHaveLength(1)
  })
})

test("an unknown borrower or another partner's is 404", async () => {
  const { borrower_id } = await signedBorrower()
  for (const [caller, id] of [
    [client, newId()],
    [app.second, borrower_id],
  ] as const) {
    const added = caller.addRepaymentMethod({ borrower_id: id, ...transfer })
    expect((await refusal(added)).code).toBe('resource_unknown')
    const listed = caller.listRepaymentMethods({ borrower_id: id })
    expect((await refusal(listed)).code).toBe('resource_unknown')
  }
})
