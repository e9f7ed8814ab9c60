/** Collects chunks of bytes without loss, at a cost proportional to their size. */
import { expect, test } from 'vitest'
import { Bytes } from '../../src/platform/kit/bytes.ts'

test('single bytes give one buffer of about their number', () => {
  const bytes = new Bytes()
  const count = 65_536
  for (let n = 0; n < count; n++) bytes.push(Buffer.from([n % 256]))
  const all = bytes.all()
  expect(all.length).toBe(count)
  expect(all.every((byte, at) => byte === at % 256)).toBe(true)
  expect(all.buffer.byteLength).toBeLessThanOrEqual(2 * count)
})

test('none gives an empty buffer; later chunks do not change a buffer already taken', () => {
  const bytes = new Bytes()
  expect(bytes.all().length).toBe(0)
  bytes.push(Buffer.from('a'))
  const before = bytes.all()
  bytes.push(Buffer.from('b'))
  expect([before.toString(), bytes.all().toString()]).toEqual(['a', 'ab'])
})
