/** Large files are found without reading lists that cannot hold any. */
import { Base64 } from '@headroom/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkLongFiles } from '../../src/platform/kit/long-files.ts'

test('rows without files are not read', async () => {
  const schema = z.object({
    rows: z.array(z.object({ amount: z.int(), note: z.string().nullish() })),
    document: Base64.optional(),
  })
  const text = 'A'.repeat(1024 * 1024)
  const row = new Proxy({}, { get: () => expect.fail('a row was read') })
  const body = { rows: [row], document: text }
  const { body: checked, restore } = await checkLongFiles(schema, body)
  expect(checked).toMatchObject({ document: 'AAAA' })
  const parsed = { document: 'AAAA' }
  restore(parsed)
  expect(parsed.document === text).toBe(true)
})
