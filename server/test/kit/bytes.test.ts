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

test('a large buffer has the expected length; a wrong expectation does no harm', () => {
  const piece = Buffer.alloc(64 * 1024, 'x')
  const collect = (expected: number, pieces: number) => {
    const bytes = new Bytes(expected)
    const taken = new Set<ArrayBufferLike>()
    for (let n = 0; n < pieces; n++) {
      bytes.push(piece)
      taken.add(bytes.all().buffer)
    }
    const all = bytes.all()
    expect(all.equals(Buffer.alloc(pieces * piece.length, 'x'))).toBe(true)
    return { size: all.buffer.byteLength, largest: [...taken].map(one => one.byteLength).slice(-2) }
  }
  const expected = 150 * piece.length
  // Beyond 512 KB, the buffer grows to the expected length in a single step.
  expect(collect(expected, 150)).toEqual({ size: expected, largest: [512 * 1024, expected] })
  expect(collect(expected, 4).size).toBeLessThanOrEqual(512 * 1024)
  expect(collect(1, 150).size).toBeLessThanOrEqual(2 * expected)
  expect(collect(10 * piece.length, 30).size).toBeLessThanOrEqual(60 * piece.length)
})
