/** Which step a request matches: paths, aliases, bodies compared as values, and order. */
import { describe, expect, test } from 'vitest'
import { matchStep, type PlannedStep, sameJson } from '../../src/partners/decisions/match-step.ts'
import { findOperation } from '../../src/partners/decisions/planned-operation.ts'
import { ProblemError } from '../../src/platform/kit/problem.ts'

const LOAN = '01900000-0000-7000-8000-000000000001'

function steps(...planned: [string, string, unknown?, unknown?][]): PlannedStep[] {
  return planned.map(([method, path, body, response], index) => ({
    id: `${index}`,
    step: index + 1,
    method,
    path,
    body: body ?? null,
    status: response === undefined ? 'PLANNED' : 'EXECUTED',
    response_json: response ?? null,
    order_id: null,
  }))
}

function outcome(planned: PlannedStep[], ...requested: Parameters<typeof send>): number | string {
  const found = matchStep(planned, send(...requested))
  return found instanceof ProblemError ? found.code : found.step
}

const send = (operation_id: 'cancelLoan' | 'changeLoan' | 'createLoan', body?: unknown) => ({
  operation_id,
  params: (operation_id === 'createLoan' ? {} : { loan_id: LOAN }) as Record<string, string>,
  has_query: false,
  body,
})

describe('a path', () => {
  test.each([
    ['POST', '/loans', 'createLoan', {}],
    ['POST', `/loan/${LOAN}/cancel`, 'cancelLoan', { loan_id: LOAN }],
    ['PATCH', '/loan/a%2Fb', 'changeLoan', { loan_id: 'a/b' }],
    ['PUT', '/loan/repayment-terms', 'setRepaymentTerms', {}],
    ['PATCH', '/loan/{{step.1.json.id}}', 'changeLoan', { loan_id: '{{step.1.json.id}}' }],
  ])('%s %s is %s', (method, path, id, params) => {
    expect(findOperation(method, path)).toMatchObject({ id, params })
  })

  test.each([
    ['GET', '/loans'],
    ['POST', '/loans/preview'],
    ['POST', '/loans?x=1'],
    ['POST', 'loans'],
    ['POST', '/loans/'],
    ['POST', '/sandbox/reset'],
    ['PATCH', '/loan/%E0'],
    ['DELETE', '/loans'],
    ['POST', '//loans'],
  ])('%s %s needs no decision', (method, path) => {
    expect(findOperation(method, path)).toBeNull()
  })
})

describe('a body', () => {
  test.each([
    ['{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1}', true],
    ['{"a":1}', '{"a":1.0}', true],
    ['{"a":100}', '{"a":1e2}', true],
    ['{"a":0}', '{"a":-0}', true],
    ['{"a":"\\u00e9"}', '{"a":"é"}', true],
    ['{"a":1}', '{"a":"1"}', false],
    ['{"a":1}', '{"a":true}', false],
    ['{"a":null}', '{}', false],
    ['{"a":[1,2]}', '{"a":[2,1]}', false],
    ['{"a":[]}', '{"a":{}}', false],
    ['{"a":1}', '{"a":1,"b":2}', false],
    ['{"__proto__":1}', '{}', false],
    ['{"toString":1}', '{"b":1}', false],
  ])('%s and %s: equal is %s', (a, b, same) => {
    expect(sameJson(JSON.parse(a), JSON.parse(b))).toBe(same)
    expect(sameJson(JSON.parse(b), JSON.parse(a))).toBe(same)
  })

  test('that may be omitted equals an empty one; any other does not', () => {
    const planned = steps(['POST', `/loan/${LOAN}/cancel`])
    expect(outcome(planned, 'cancelLoan')).toBe(1)
    expect(outcome(planned, 'cancelLoan', {})).toBe(1)
    expect(outcome(planned, 'cancelLoan', { reason: 'x' })).toBe('operation_unplanned')
    expect(outcome(steps(['POST', '/loans']), 'createLoan', {})).toBe('operation_unplanned')
  })
})

describe('the next step', () => {
  const created = { id: LOAN, amount: 5 }

  test('is the first planned one, and no other', () => {
    const first = ['POST', '/loans', { a: 1 }] as const
    const planned = steps([...first], ['POST', `/loan/${LOAN}/cancel`])
    expect(outcome(planned, 'cancelLoan')).toBe('operation_unplanned')
    expect(outcome(planned, 'createLoan', { a: 1 })).toBe(1)
    const begun = steps([...first, created], ['POST', '/loan/{{step.1.json.id}}/cancel'])
    expect(outcome(begun, 'cancelLoan')).toBe(2)
    expect(outcome(begun, 'createLoan', { a: 1 })).toBe('step_executed')
    expect(outcome(begun, 'createLoan', { a: 2 })).toBe('operation_unplanned')
  })

  test('matches twice for two identical steps', () => {
    const cancel = ['POST', `/loan/${LOAN}/cancel`, null] as const
    expect(outcome(steps([...cancel, {}], [...cancel]), 'cancelLoan')).toBe(2)
    expect(outcome(steps([...cancel, {}], [...cancel, {}]), 'cancelLoan')).toBe('step_executed')
  })

  test.each([
    ['its own answer', '{{step.2.json.id}}'],
    ['a later one', '{{step.3.json.id}}'],
    ['a missing field', '{{step.1.json.nothing}}'],
    ['an object', '{{step.1.json}}'],
    ['a null', '{{step.1.json.none}}'],
  ])('never matches a path with %s', (_what, reference) => {
    const planned = steps(
      ['POST', '/loans', {}, { ...created, none: null }],
      ['POST', `/loan/${reference}/cancel`],
      ['POST', `/loan/{{step.2.json.id}}/cancel`],
    )
    for (const text of [LOAN, reference, 'null', 'undefined', '']) {
      const requested = { ...send('cancelLoan'), params: { loan_id: text } }
      if (text === reference && reference === '{{step.1.json}}') continue
      expect(matchStep(planned, requested)).toMatchObject({ code: 'operation_unplanned' })
    }
  })

  test('a reference in a body matches its typed value, never the reference itself', () => {
    const body = { amount: '{{step.1.json.amount}}', metadata: { of: 'n {{step.1.json.id}}' } }
    const planned = steps(['POST', '/loans', {}, created], ['PATCH', `/loan/${LOAN}`, body])
    const metadata = { of: `n ${LOAN}` }
    expect(outcome(planned, 'changeLoan', { metadata, amount: 5 })).toBe(2)
    expect(outcome(planned, 'changeLoan', { metadata, amount: '5' })).toBe('operation_unplanned')
    expect(outcome(planned, 'changeLoan', body)).toBe('operation_unplanned')
  })

  test('is matched within the size of one request, however much the steps insert', () => {
    let lookups = 0
    const long = {
      get text() {
        lookups += 1
        return 'x'.repeat(10_000)
      },
    }
    const body = { text: '{{step.1.json.text}}'.repeat(100) }
    const executed = Array(50).fill(['POST', '/loans', body, long]) as [string, string][]
    const planned = steps(...executed, ['POST', '/loans', body])
    expect(outcome(planned, 'createLoan', { a: 1 })).toBe('operation_unplanned')
    expect(lookups).toBeLessThan(2_000)
  })
})
