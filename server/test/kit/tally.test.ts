/** Shares of a scarce resource: an owner's minimum and maximum, and the total. */
import { expect, test } from 'vitest'
import { Tally } from '../../src/platform/kit/tally.ts'

const LIMITS = { own: 2, each: 5, all: 8 }

function isFull(tally: Tally, owner: string): boolean {
  try {
    tally.refuseIfFull(owner, 'too much')
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'not_ready', extras: { retry_after_seconds: 2 } })
    return true
  }
}

test('an owner is refused at its maximum, and served again below it', () => {
  const tally = new Tally(LIMITS)
  tally.add('a', 4)
  expect(isFull(tally, 'a')).toBe(false)
  tally.add('a', 1)
  expect(isFull(tally, 'a')).toBe(true)
  expect(isFull(tally, 'b')).toBe(false)
  tally.remove('a', 1)
  expect(isFull(tally, 'a')).toBe(false)
})

test('while others hold everything, an owner still gets its minimum', () => {
  const tally = new Tally(LIMITS)
  tally.add('a', 5)
  tally.add('b', 5)
  expect(isFull(tally, 'c')).toBe(false)
  tally.add('c', 1)
  expect(isFull(tally, 'c')).toBe(false)
  tally.add('c', 1)
  expect(isFull(tally, 'c')).toBe(true)
  tally.remove('a', 5)
  expect(isFull(tally, 'c')).toBe(false)
})
