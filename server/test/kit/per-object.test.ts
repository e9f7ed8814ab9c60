/** A value cached per object is computed once, even if it is false. */
import { expect, test } from 'vitest'
import { perObject } from '../../src/platform/kit/per-object.ts'

test('each object has its own value, created on the first call', () => {
  const created: object[] = []
  const isEmpty = perObject((object: object) => {
    created.push(object)
    return Object.keys(object).length === 0
  })
  const [one, other] = [{ name: 'one' }, {}]
  expect([one, other, one, other].map(isEmpty)).toEqual([false, true, false, true])
  expect(created).toEqual([one, other])
})
