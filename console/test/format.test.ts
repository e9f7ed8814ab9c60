/** Amounts as users type and paste them. */
import { expect, test, vi } from 'vitest'

/** Loads a fresh copy of the formatting module, for this browser language. */
async function centsOf(language: string): Promise<typeof import('../src/kit/format.ts')> {
  vi.stubGlobal('navigator', { language })
  return import(`../src/kit/format.ts?${language}`)
}

test.each([
  ['en-GB', { '1234.56': 123_456, '1,234.56': 123_456, '1,234': 123_400, '1234,5': 123_450 }],
  ['fr-FR', { '1 234,56 €': 123_456, '1 234,56': 123_456, '1.234,56': 123_456 }],
  ['de-DE', { '1.234,56': 123_456, '1.234': 123_400, '12.345.678': 1_234_567_800, '7': 700 }],
] as const)('%s', async (language, typed) => {
  const { cents, money } = await centsOf(language)
  for (const [text, sum] of Object.entries(typed)) expect(cents(text), text).toBe(sum)
  expect(cents(money(123_456_789)), 'as the page itself writes it').toBe(123_456_789)
  for (const wrong of ['', '12.345.6', '1,23,456', '1234.567', '-5', 'five', '1,2,3']) {
    expect(cents(wrong), wrong).toBe(null)
  }
})

test('rejects an amount whose separator may mean thousands or cents', async () => {
  const { cents } = await centsOf('en-GB')
  expect(cents('1.234')).toBe(null)
})
