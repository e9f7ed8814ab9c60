/** Reads about companies: registry entries, segments and kinds of shared data. */
import { DATA_TYPES } from '@headroom/contract'
import { expect, test } from 'vitest'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { plusDays, readyBorrower, today } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

test('a company is found in its registry if all the given data agrees', async () => {
  const { identifier, name, address } = await client.generateSandboxBusiness({ is_borrower: true })
  const [found] = await client.findPublicData({ identifier })
  expect(found).toMatchObject({ identifier, identifier_type: 'siren', name })
  expect(found!.address).toMatchObject({ city: address!.city, postal_code: address!.postal_code })
  const result = { identifier, identifier_type: 'siren' as const, country: 'FRA' }
  const city = address!.city!.toUpperCase()
  expect(await client.findPublicData({ ...result, city, name: name! })).toEqual([found])
  expect(await client.findPublicData({ ...result, name: 'Somebody else' })).toEqual([])
  expect(await client.findPublicData({ ...result, postal_code: '00000' })).toEqual([])
})

test('a German register number needs its court, which the city may determine', async () => {
  const [found] = await client.findPublicData({
    identifier: 'HRB 11223',
    identifier_type: 'hr_nummer',
    city: 'Aachen',
  })
  expect(found).toMatchObject({ identifier: 'Aachen HRB 11223', identifier_type: 'hr_nummer' })
  const alone = client.findPublicData({ identifier: 'HRB 11223', identifier_type: 'hr_nummer' })
  expect(Object.keys(await faultsOf(alone))).toEqual(['identifier'])
  const wrong = client.findPublicData({ identifier: '404833047', country: 'Mars' })
  expect(Object.keys(await faultsOf(wrong)).sort()).toEqual(['country', 'identifier'])
})

test('a segment follows the shared turnover', async () => {
  const borrower = await readyBorrower(app)
  const about = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  const business_id = borrower.id
  expect(await client.getBusinessSegment({ business_id })).toEqual({
    business_id,
    business_identifier: about,
    defacto_segment: null,
  })
  const day = await today(app)
  const share = (amount: number) =>
    client.shareActivity({
      ...about,
      kind: 'ACCOUNTING',
      periods: [{ from: plusDays(day, -89), to: day, amount: 3 * amount, count: 1 }],
    })
  for (const [amount, segment] of [
    [1_000_000, 'CAT1'],
    [17_000_000, 'CAT2'],
    [90_000_000, 'CAT3'],
    [500_000_000, 'CAT4'],
  ] as const) {
    await share(amount)
    const { defacto_segment } = await client.getBusinessSegment({ business_id })
    expect(defacto_segment).toBe(segment)
  }
  for (const caller of [client, app.second]) {
    const id = caller === client ? newId() : business_id
    const problem = await refusal(caller.getBusinessSegment({ business_id: id }))
    expect(problem).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
})

test('every kind of data has a distinct text in each of five languages', async () => {
  const result = await Promise.all(DATA_TYPES.map(data_type => client.getDataType({ data_type })))
  expect(result.map(info => info.data_type)).toEqual([...DATA_TYPES])
  const words = result.flatMap(info => Object.values(info.translations))
  expect(words).toHaveLength(18 * 5)
  expect(new Set(words).size).toBe(words.length)
  expect(result.find(info => info.data_type === 'tax_return')!.requires_document).toBe(true)
  expect(result.find(info => info.data_type === 'debt_arrears')!.requires_document).toBe(false)
  const unknown = client.getDataType({ data_type: 'horoscope' as 'tax_return' })
  expect(Object.keys(await faultsOf(unknown))).toEqual(['data_type'])
})
