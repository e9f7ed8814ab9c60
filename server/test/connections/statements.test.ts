/** Statements of lists are prepared only up to a limit, because filters combine without limit. */
import { expect, test } from 'vitest'
import { namedStatements } from '../../src/platform/db/statements.ts'

test('ever-new filter combinations take no prepared names from other statements', () => {
  const statementOf = namedStatements({ list: 3, other: 2 })
  const list = (n: number) => `select *, array[id] as page_key from loans where ${n} = ${n}`
  const lists = [1, 2, 3, 4, 5].map(n => statementOf(list(n)).name)
  expect(lists).toEqual(['s0', 's1', 's2', undefined, undefined])
  const others = ['a', 'b', 'c', 'b'].map(text => statementOf(text).name)
  expect(others).toEqual(['s3', 's4', undefined, 's4'])
  expect(statementOf(list(2)).name).toBe('s1')
})
