/** The committed OpenAPI document matches the contract. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventTypes, operations } from '../src/index.ts'
import { openapi } from '../src/openapi.ts'

const document = openapi(operations, eventTypes)
const text = JSON.stringify(document)

describe('openapi.json', () => {
  it('is up to date: `npm run generate` writes it', () => {
    const committed = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')
    expect(JSON.parse(committed)).toEqual(JSON.parse(text))
  })

  it('does not depend on the order of the tables', () => {
    const reversed = Object.fromEntries(Object.entries(operations).reverse())
    const names = (d: object) => Object.keys((d as { paths: object }).paths)
    expect(names(openapi(reversed, eventTypes))).toEqual(names(document))
  })

  it('has a target for every reference', () => {
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(m => m[1]!))
    expect(references.size).toBeGreaterThan(30)
    for (const reference of references) {
      const target = reference.split('/').reduce<unknown>((node, key) => {
        return (node as Record<string, unknown> | undefined)?.[key]
      }, document)
      expect(target, reference).toBeDefined()
    }
  })

  it('documents 404 where a body names the resource', () => {
    const paths = document.paths as Record<string, Record<string, { responses: object }>>
    expect(paths['/sandbox/kyb']!.post!.responses).toHaveProperty('404')
  })

  it('names every operation once', () => {
    const paths = document.paths as Record<string, Record<string, { operationId: string }>>
    const ids = Object.values(paths).flatMap(item => Object.values(item).map(o => o.operationId))
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of Object.keys(operations)) expect(ids).toContain(id)
  })

  it('rejects two different schemas with the same name', () => {
    const other = {
      ...operations.getBorrower,
      answer: operations.getLoan.answer.meta({ id: 'Borrower' }),
    }
    expect(() => openapi({ getBorrower: operations.getBorrower, other }, {})).toThrow('Borrower')
  })
})
