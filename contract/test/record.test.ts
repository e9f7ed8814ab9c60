/**
 * Compares the contract with the public record of the interface: the record allows each of our
 * answers, and we accept each request of the record. Reads ../shared/spec; skipped where that
 * folder does not exist.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Operation, operations } from '../src/index.ts'
import { jsonSchema } from '../src/openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema in two dialects, walked freely.
type Node = any

const file = new URL('../../../shared/spec/public-record.json', import.meta.url)
const record: Node = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { paths: {} }

/** The parts of a schema that are compared. `types` excludes null, which `nullable` records. */
interface Shape {
  nullable: boolean
  types: string[]
  values?: string[]
  node: Node
}

function recordShape(node: Node): Shape {
  if (node.$ref) return recordShape(record.components.schemas[node.$ref.split('/').pop()])
  if (node.allOf) {
    const inner = recordShape(node.allOf[0])
    return { ...inner, nullable: inner.nullable || Boolean(node.nullable) }
  }
  const nullable = Boolean(node.nullable) || (node.enum ?? []).includes(null)
  const values = node.enum?.filter((v: unknown) => v !== null)
  return { nullable, types: node.type ? [node.type] : [], values, node }
}

/** The shapes of our schema: one per branch of a union. */
function ourShapes(node: Node, root: Node): Shape[] {
  if (node.$ref) return ourShapes(root.$defs[node.$ref.split('/').pop()], root)
  if (node.anyOf) {
    const branches: Shape[] = node.anyOf.flatMap((b: Node) => ourShapes(b, root))
    const nullable = branches.some(b => b.nullable)
    const real = branches.filter(b => b.types.length > 0 || Object.keys(b.node).length === 0)
    return real.map(b => ({ ...b, nullable }))
  }
  const all: string[] = [node.type ?? []].flat()
  const types = all.filter(t => t !== 'null')
  return [{ nullable: all.includes('null'), types, values: node.enum, node }]
}

type Visit = (ours: Shape, theirs: Shape, at: string) => string[]

function walk(ours: Node, root: Node, theirs: Node, at: string, visit: Visit): string[] {
  const expected = recordShape(theirs)
  return ourShapes(ours, root).flatMap(shape => {
    const faults = visit(shape, expected, at)
    if (shape.types.length === 0) return faults
    const names = Object.keys(expected.node.properties ?? {})
    for (const name of names) {
      const mine = shape.node.properties?.[name]
      if (mine === undefined) faults.push(`${at}.${name} is missing`)
      else faults.push(...walk(mine, root, expected.node.properties[name], `${at}.${name}`, visit))
    }
    if (expected.node.items && shape.node.items) {
      faults.push(...walk(shape.node.items, root, expected.node.items, `${at}[]`, visit))
    }
    return faults
  })
}

/** Lists answers of ours that the record does not allow. */
const narrower: Visit = (ours, theirs, at) => {
  const faults: string[] = []
  if (ours.nullable && !theirs.nullable && theirs.types.length > 0) faults.push(`${at} may be null`)
  if (ours.types.length === 0) return faults
  if (theirs.types.length > 0 && !ours.types.every(t => fits(t, theirs.types[0]!))) {
    faults.push(`${at} is ${ours.types}, not ${theirs.types}`)
  }
  const format = theirs.node.format
  if (format && format !== 'url' && ours.node.format !== format)
    faults.push(`${at} is no ${format}`)
  const stray = theirs.values && (ours.values ?? ['any']).filter(v => !theirs.values!.includes(v))
  if (stray?.length) faults.push(`${at} may be ${stray}`)
  for (const name of theirs.node.required ?? []) {
    if (!ours.node.required?.includes(name)) faults.push(`${at}.${name} is not always there`)
  }
  return faults
}

const fits = (ours: string, theirs: string) =>
  ours === theirs || (ours === 'integer' && theirs === 'number')

/** Lists requests of the record that our schema does not accept. */
const wider: Visit = (ours, theirs, at) => {
  const faults: string[] = []
  if (theirs.nullable && !ours.nullable) faults.push(`${at} may not be null`)
  const refused = ours.values && theirs.values?.filter(v => !ours.values!.includes(v))
  if (refused?.length) faults.push(`${at} may not be ${refused}`)
  for (const name of ours.node.required ?? []) {
    if (!theirs.node.required?.includes(name)) faults.push(`${at}.${name} is required`)
  }
  return faults
}

const shared = (Object.entries(operations) as [string, Operation][])
  .map(([id, o]) => ({ id, o, theirs: record.paths[o.path]?.[o.method.toLowerCase()] }))
  .filter(({ theirs }) => theirs)
  .map(({ id, o, theirs }) => [id, o, theirs] as [string, Operation, Node])

/** Intended differences: fields that we require although the record does not. */
const MEANT: Record<string, string[]> = {
  createLoan: [
    'createLoan.auto_validate is required',
    'createLoan.borrower is required',
    'createLoan.borrower may not be null',
    'createLoan.loan_type is required',
    'createLoan.salt_id is required',
    'createLoan.salt_id may not be null',
  ],
}

describe.skipIf(!existsSync(file))('the public record', () => {
  it('has the expected operations in common with the contract', () => {
    expect(shared.length).toBe(77)
  })

  it.each(shared)('allows the answers of %s', (id, operation, theirs) => {
    const answer = theirs.responses[operation.success] ?? theirs.responses.default
    expect(answer, 'status').toBeDefined()
    const content = Object.values(answer.content ?? {})[0] as Node
    const ours = jsonSchema(operation.answer, 'output')
    // The record may show no answer.
    if (operation.success === 204 || !content) return
    const faults = walk(ours, ours, content.schema, id, narrower)
    expect(faults.filter(f => !f.includes('event_types[] may be'))).toEqual([])
  })

  it.each(shared)('accepts every %s request of the record', (id, operation, theirs) => {
    const query = operation.query && jsonSchema(operation.query, 'input')
    for (const parameter of (theirs.parameters ?? []).filter((p: Node) => p.in === 'query')) {
      const mine = (query?.properties as Node)?.[parameter.name]
      expect(mine, parameter.name).toBeDefined()
      const values = recordShape(parameter.schema.items ?? parameter.schema).values
      const schema = ourShapes(mine.items ?? mine, query)[0]
      if (values) expect(schema?.values).toEqual(expect.arrayContaining(values))
    }
    // Where two operations share a body, the record names only its schema.
    const shown = theirs.requestBody
    const body = shown?.$ref ? shown : shown?.content?.['application/json']?.schema
    if (!body) return
    const ours = jsonSchema(operation.body!, 'input')
    const faults = walk(ours, ours, body, id, wider)
    expect(faults.sort()).toEqual(MEANT[id] ?? [])
  })
})
