/** Explanations of denial codes, in five languages. */
import { DENIAL_CODES, operations } from '@headroom/contract'
import { createClient } from '@headroom/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { refusal } from '../../support/refusal.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

const LANGUAGES = ['de', 'en', 'es', 'fr', 'nl'] as const

describe('every code', () => {
  test('is listed once, with a sentence in every language', async () => {
    const all = await app.client.listDenialCodes({})
    // The server does not check this answer, because its handler serializes it.
    expect(operations.listDenialCodes.answer.parse(all)).toEqual(all)
    expect(all.map(item => item.denial_code_name)).toEqual([...DENIAL_CODES])
    for (const { denial_code_name, translations } of all) {
      for (const language of LANGUAGES) {
        expect(translations[language], denial_code_name).toMatch(/^\p{Lu}.{20,}\.$/u)
      }
      expect(new Set(Object.values(translations)).size, denial_code_name).toBe(5)
    }
  })

  test('has a distinct sentence', async () => {
    const all = await app.client.listDenialCodes({})
    for (const language of LANGUAGES) {
      const sentences = all.map(item => item.translations[language])
      const twice = sentences.filter((text, i) => sentences.indexOf(text) !== i)
      expect(twice, language).toEqual([])
    }
  })
})

test('can be read without a key', async () => {
  const anybody = createClient({ base_url: app.base_url, key: '' })
  const result = await anybody.getDenialCodeTranslation({ code: 'BORROWER_TO_SIGN' })
  expect(result.en).toBe('Please accept the terms and conditions first, then ask again.')
  expect(result.nl).toContain('voorwaarden')
})

test('an unknown code is 404', async () => {
  const call = app.client.getDenialCodeTranslation({ code: 'NO_SUCH_CODE' })
  expect(await refusal(call)).toMatchObject({ status: 404, code: 'resource_unknown' })
})
