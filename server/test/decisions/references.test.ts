/**
 * References to recorded answers: positions, resolved values, and references that resolve to
 * nothing.
 */
import { describe, expect, test } from 'vitest'
import {
  type Answers,
  countReferences,
  hasReference,
  resolve as resolveWithin,
  UNRESOLVED,
} from '../../src/partners/decisions/references.ts'

const resolve = (value: unknown, from: Answers, length_max = 1_000) =>
  resolveWithin(value, { answers: from, length_left: length_max })

const answer = {
  id: 'a-1',
  amount: 1250,
  rate: 0.05,
  ok: true,
  no: false,
  none: null,
  list: [{ at: 'first' }, { at: 'second' }],
  object: { deep: { deeper: 'x' } },
  tricky: '{{step.1.json.id}}',
  empty: '',
}
const answers = new Map<number, unknown>([
  [1, answer],
  [2, [{ id: 'b-1' }]],
  [3, null],
])
const at = (path: string, step = 1) => resolve(`{{step.${step}.json.${path}}}`, answers)

describe('as a whole string', () => {
  test.each([
    ['id', 'a-1'],
    ['amount', 1250],
    ['rate', 0.05],
    ['ok', true],
    ['no', false],
    ['none', null],
    ['list', answer.list],
    ['object', answer.object],
    ['empty', ''],
    ['list.1.at', 'second'],
    ['list[1].at', 'second'],
    ['object.deep.deeper', 'x'],
  ])('%s keeps its JSON type', (path, expected) => {
    expect(at(path)).toEqual(expected)
  })

  test('it can reach into an answer that is an array', () => {
    expect(at('0.id', 2)).toBe('b-1')
    expect(at('[0].id', 2)).toBe(UNRESOLVED)
  })
})

describe('within a string', () => {
  test('it is inserted as text, even several times', () => {
    const text = 'plan {{step.1.json.id}} of {{step.1.json.amount}}, {{step.1.json.ok}}'
    expect(resolve(text, answers)).toBe('plan a-1 of 1250, true')
    expect(resolve('x{{step.1.json.none}}', answers)).toBe('xnull')
    expect(resolve('x{{step.1.json.object}}', answers)).toBe('x{"deep":{"deeper":"x"}}')
  })

  test('one unresolved reference makes the whole string unresolved', () => {
    expect(resolve('{{step.1.json.id}} {{step.9.json.id}}', answers)).toBe(UNRESOLVED)
  })
})

test('inserted text is not resolved again', () => {
  expect(at('tricky')).toBe('{{step.1.json.id}}')
  expect(resolve('x {{step.1.json.tricky}}', answers)).toBe('x {{step.1.json.id}}')
})

test.each([
  ['missing', 1],
  ['id', 4],
  ['id', 3],
  ['id.length', 1],
  ['list.length', 1],
  ['list.2', 1],
  ['list.-1', 1],
  ['constructor', 1],
  ['__proto__', 1],
  ['object.toString', 1],
  ['object..deep', 1],
])('%s of step %d does not resolve', (path, step) => {
  expect(at(path, step)).toBe(UNRESOLVED)
})

test('references are resolved anywhere in a value, but not in field names', () => {
  const body = { a: [{ b: '{{step.1.json.amount}}' }], '{{step.1.json.id}}': 1 }
  expect(hasReference(body)).toBe(true)
  expect(resolve(body, answers)).toEqual({ a: [{ b: 1250 }], '{{step.1.json.id}}': 1 })
  expect(resolve({ a: ['{{step.5.json.x}}'] }, answers)).toBe(UNRESOLVED)
})

test.each(['{{step.0.json.id}}', '{{step.1.json}}', '{{step.1.id}}', '{{ step.1.json.id }}', '{{'])(
  '%s is plain text, not a reference',
  text => {
    expect(hasReference(text)).toBe(false)
    expect(resolve(text, answers)).toBe(text)
  },
)

test('nothing is resolved beyond the maximum request size', () => {
  const long = new Map([[1, { text: 'x'.repeat(100), list: Array(50).fill(1) }]])
  const repeated = '{{step.1.json.text}}'.repeat(10)
  expect(resolve(repeated, long)).toBe('x'.repeat(1_000))
  expect(resolve(repeated, long, 999)).toBe(UNRESOLVED)
  expect(resolve([repeated, '{{step.1.json.text}}'], long)).toBe(UNRESOLVED)
  // The list has 101 characters as JSON.
  expect(resolve(Array(10).fill('{{step.1.json.list}}'), long)).toBe(UNRESOLVED)
  expect(resolve({ a: '{{step.1.json.list}}' }, long, 101)).toEqual({ a: Array(50).fill(1) })
})

test('many references to a long text take little memory and time', () => {
  const long = new Map([[1, { text: 'x'.repeat(16_000) }]])
  const before = process.cpuUsage()
  expect(resolve('{{step.1.json.text}}'.repeat(40_000), long, 1_000_000)).toBe(UNRESOLVED)
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(50)
})

test('the insertion limit counts over several values', () => {
  const resolving = { answers, length_left: 5 }
  expect(resolveWithin('{{step.1.json.id}}', resolving)).toBe('a-1')
  expect(resolveWithin('{{step.1.json.id}}', resolving)).toBe(UNRESOLVED)
})

test('references are counted wherever they are', () => {
  expect(
    countReferences({ a: ['{{step.1.json.a}} {{step.2.json.b}}'], b: '{{step.1.json.a}}' }),
  ).toBe(3)
})
