/** Signed links: valid for one document and a limited time. */
import { expect, test } from 'vitest'
import { checkAddress, documentAddress } from '../../src/integrations/documents/address.ts'
import type { Settings } from '../../src/platform/db/settings.ts'
import { newId } from '../../src/platform/kit/ids.ts'

const settings = {
  base_url: 'https://lend.example',
  secret: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
} as Settings

const NOW = new Date('2026-11-21T10:00:00Z')

function given(address: string) {
  const query = new URL(address).searchParams
  return { expires: Number(query.get('expires')), signature: query.get('signature')! }
}

function codeOf(work: () => void): string | null {
  try {
    work()
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a link opens its document for 15 minutes', () => {
  const id = newId()
  const address = documentAddress(settings, id, NOW)
  expect(address.startsWith(`https://lend.example/document/${id}?expires=`)).toBe(true)
  const minutes = (n: number) => new Date(NOW.getTime() + n * 60_000)
  const at = (now: Date) => codeOf(() => checkAddress(settings, id, given(address), now))
  expect(at(NOW)).toBeNull()
  expect(at(minutes(14.9))).toBeNull()
  expect(at(minutes(15))).toBe('signature_invalid')
})

test('a link opens no other document, not after expiry, and under no other secret', () => {
  const id = newId()
  const { expires, signature } = given(documentAddress(settings, id, NOW))
  const other = { ...settings, secret: 'ff'.repeat(32) }
  expect(codeOf(() => checkAddress(settings, newId(), { expires, signature }, NOW))).not.toBeNull()
  expect(
    codeOf(() => checkAddress(settings, id, { expires: expires + 1, signature }, NOW)),
  ).not.toBeNull()
  expect(codeOf(() => checkAddress(other, id, { expires, signature }, NOW))).not.toBeNull()
  expect(codeOf(() => checkAddress(settings, id, { expires, signature: '' }, NOW))).not.toBeNull()
})
