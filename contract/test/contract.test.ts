/** The contract's tables are consistent with each other. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  dayDependentFields,
  EVENT_NAMES,
  EVENT_NAMES_2023,
  eventTypes,
  type Machine,
  machines,
  type Operation,
  operations,
  problems,
  scopes,
} from '../src/index.ts'
import { jsonSchema, problemsOf } from '../src/openapi.ts'

const table = Object.entries(operations) as [string, Operation][]

function addresses(operation: Operation) {
  const { method, path, aliases = [] } = operation
  return [{ method, path }, ...aliases.map(alias => ({ method, ...alias }))]
}

/** Paths of strings and arrays without a length limit. */
function unbounded(schema: unknown, at = ''): string[] {
  if (Array.isArray(schema)) return schema.flatMap((item, i) => unbounded(item, `${at}/${i}`))
  if (typeof schema !== 'object' || schema === null) return []
  const node = schema as Record<string, unknown>
  const bounded = node.format || node.enum || node.const || node.pattern
  const faults: string[] = []
  if (node.type === 'string' && !bounded && node.maxLength === undefined) faults.push(at)
  if (node.type === 'array' && node.maxItems === undefined) faults.push(at)
  return [...faults, ...Object.entries(node).flatMap(([k, v]) => unbounded(v, `${at}/${k}`))]
}

describe('operations', () => {
  it('have unique addresses, whatever the placeholder names', () => {
    const all = table.flatMap(([, o]) =>
      addresses(o).map(a => `${a.method} ${a.path.replaceAll(/\{\w+\}/g, '{}')}`),
    )
    expect(all.filter((a, i) => all.indexOf(a) !== i)).toEqual([])
  })

  it.each(table)('%s describes exactly its placeholders', (_id, operation) => {
    const described = Object.keys(operation.params?.shape ?? {}).sort()
    for (const { path } of addresses(operation)) {
      expect([...path.matchAll(/\{(\w+)\}/g)].map(m => m[1]).sort()).toEqual(described)
    }
  })

  it.each(table)('%s can be written as JSON Schema', (_id, operation) => {
    expect(Object.keys(jsonSchema(operation.answer, 'output'))).not.toEqual([])
    for (const part of ['params', 'query', 'body', 'body_2023'] as const) {
      const schema = operation[part]
      if (schema) expect(Object.keys(jsonSchema(schema, 'input'))).not.toEqual([])
    }
  })

  it.each(table)('%s bounds all its input', (_id, operation) => {
    for (const schema of [operation.params, operation.query, operation.body]) {
      if (schema) expect(unbounded(jsonSchema(schema, 'input'))).toEqual([])
    }
  })

  it.each(table)('%s rejects unknown fields', (_id, operation) => {
    const { body, query } = operation
    for (const schema of [body, query]) {
      const issues = schema?.safeParse({ no_such_field: 1 }).error?.issues
      if (schema) expect(issues?.map(i => i.code)).toContain('unrecognized_keys')
    }
  })

  it.each(table)('%s declares its scope and its problems', (_id, operation) => {
    if (operation.scope && operation.scope !== 'any') expect(scopes).toContain(operation.scope)
    for (const code of problemsOf(operation)) expect(problems).toHaveProperty(code)
    expect(operation.sandbox ?? false).toBe(operation.path.startsWith('/sandbox/'))
    if (operation.method === 'GET') expect(operation.gated).toBe(false)
  })

  it('require a decision for every write except previews, sandbox and keyless routes', () => {
    const free = table.filter(([, o]) => o.method !== 'GET' && !o.sandbox && !o.gated)
    expect(free.map(([id]) => id)).toEqual([
      'setOnboardingLanguage',
      'chooseOnboardingCompany',
      'nameOnboardingRepresentative',
      'chooseOnboardingRepayment',
      'acceptOnboardingTerms',
      'checkBorrowerEligibility',
      'checkBeneficiaryEligibility',
      'checkBuyerEligibility',
      'checkSellerEligibility',
      'quoteEligibility',
      'previewLoan',
      'fetchLoanDocuments',
      'computeInstallmentPlan',
      'computeRecollectionInstallmentPlan',
      'proposeDecision',
      'withdrawDecision',
    ])
  })
})

describe('machines', () => {
  const all = Object.entries(machines) as [string, Machine][]

  it.each(all)('%s is named after its key and moves between known statuses', (name, machine) => {
    expect(machine.name).toBe(name)
    const { statuses, initial, transitions } = machine
    for (const status of [initial, ...transitions.flatMap(t => [t.from, t.to])]) {
      expect(statuses).toContain(status)
    }
  })

  it.each(all)('%s reaches every status', (_name, { statuses, initial, transitions }) => {
    const reached = new Set([initial])
    for (const _ of statuses) {
      for (const t of transitions) if (reached.has(t.from)) reached.add(t.to)
    }
    expect([...reached].sort()).toEqual([...statuses].sort())
  })

  it.each(all)('%s has one target per status and trigger', (_name, { transitions }) => {
    const steps = transitions.map(t => `${t.from} ${t.trigger}`)
    expect(new Set(steps).size).toBe(steps.length)
    for (const t of transitions) expect(t.from).not.toBe(t.to)
  })
})

describe('events', () => {
  it('can all be subscribed to; Loan.OVERDUE only in version 2023-09', () => {
    for (const name of Object.keys(eventTypes)) expect(EVENT_NAMES_2023).toContain(name)
    expect(EVENT_NAMES_2023.filter(n => !EVENT_NAMES.includes(n))).toEqual(['Loan.OVERDUE'])
    expect(new Set(EVENT_NAMES_2023).size).toBe(EVENT_NAMES_2023.length)
  })

  it('cover every status of loans, borrowers, bills and payments, except PROPOSED', () => {
    const spoken = (resource: string, statuses: readonly string[]) =>
      statuses.filter(status => !(`${resource}.${status}` in eventTypes))
    expect(spoken('Loan', machines.loan.statuses)).toEqual([])
    expect(spoken('Borrower', machines.borrower.statuses)).toEqual([])
    expect(spoken('Bill', machines.bill.statuses)).toEqual([])
    expect(spoken('Payment', machines.payment.statuses)).toEqual(['PROPOSED'])
  })

  it('docs/webhooks.md names the figures that change with the day', () => {
    const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
    const [, named] = /figures that change with the day \(([^)]+)\)/.exec(page)!
    const result = [...named!.matchAll(/`(\w+)`/g)].map(match => match[1]!)
    const marked = Object.values(eventTypes).flatMap(({ data }) => dayDependentFields(data))
    expect(result.sort()).toEqual([...new Set(marked)].sort())
  })

  it.each(Object.entries(eventTypes))(
    '%s has a payload that can be written as JSON',
    (_name, event) => {
      expect(event.data).toBeInstanceOf(z.ZodObject)
      expect(Object.keys(jsonSchema(event.data, 'output'))).not.toEqual([])
    },
  )
})

describe('problems', () => {
  it.each(Object.entries(problems))('%s has a title and says what to do', (_code, problem) => {
    expect(problem.status).toBeGreaterThanOrEqual(400)
    expect(problem.title).not.toBe('')
    expect(problem.meaning).toMatch(/\.$/)
  })
})
