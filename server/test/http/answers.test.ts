/** Responses are serialized by the contract's schemas without losing data. */
import { adminOperations, type Operation, operations } from '@headroom/contract'
import { type FastifyReply, fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Reply } from '../../src/context.ts'
import {
  answerSchema,
  checkAnswer,
  render,
  rendererOf,
  writeJson,
} from '../../src/entrypoints/http/answers.ts'

const Part = z.object({ name: z.string() }).meta({ id: 'AnswersTestPart' })
const operation: Operation = {
  ...operations.getLoan,
  answer: z.object({
    cents: z.int(),
    cents_or_null: z.int().nullable(),
    day_or_null: z.iso.datetime().nullable(),
    part: Part,
    part_or_null: Part.nullable(),
    parts: z.array(Part),
    kind: z.enum(['A', 'B']).nullable(),
    text_or_cents: z.union([z.string(), z.int()]),
    metadata: z.record(z.string(), z.unknown()),
  }),
}

const whole = {
  cents: 123n,
  cents_or_null: 456n,
  day_or_null: '2026-07-01T00:00:00Z',
  part: { name: 'é "quoted" \u2028' },
  part_or_null: { name: '' },
  parts: [{ name: 'x' }],
  kind: 'A',
  text_or_cents: 7,
  metadata: { deep: [{ x: null }], y: 1.5 },
}
const sparse = { ...whole, cents_or_null: null, day_or_null: null, part_or_null: null, kind: null }

/** Wrapped in an object, because a reply is thenable and would be awaited. */
async function anyReply(): Promise<{ reply: FastifyReply }> {
  const app = fastify()
  const { promise, resolve } = Promise.withResolvers<{ reply: FastifyReply }>()
  app.get('/', async (_request, reply) => {
    resolve({ reply })
    return ''
  })
  await app.inject('/')
  await app.close()
  return promise
}

describe('answers', async () => {
  const { reply } = await anyReply()
  const serialize = (body: unknown) => writeJson(reply, operation, body)

  it('serializes a page the same way in pieces as at once', async () => {
    const rows = z.object({ data: z.array(operation.answer), next_page: z.string().nullable() })
    const list: Operation = { ...operations.listLoans, answer: rows }
    const pages = rendererOf(reply, list, false)
    // The longest page exceeds one piece of 64 KB, and each page contains a two-byte character.
    for (const data of [[], [whole], Array.from({ length: 3_000 }, () => whole)]) {
      const page = { data, next_page: 'é' }
      const { payload } = await pages.renderInPieces(page)
      expect(JSON.parse(String(payload))).toEqual(JSON.parse(String(pages.render(page).payload)))
    }
  })

  const Rows = z.array(operation.answer)
  // Too many rows to serialize in one turn, however fast the machine is.
  const many = Array.from({ length: 20_000 }, () => whole)
  const statement: Operation = {
    ...operations.getBorrowerStatement,
    answer: z.object({ borrower_id: z.string(), movements: Rows, bills: Rows }),
  }
  it.each([
    ['an answer that is a list', { ...operations.listCards, answer: Rows }, many],
    [
      'an answer with long lists',
      statement,
      { borrower_id: 'é', movements: many, bills: [whole, sparse] },
    ],
    [
      'an answer whose long lists are empty',
      statement,
      { borrower_id: '', movements: [], bills: [] },
    ],
  ])('serializes %s the same way in pieces, and serves others meanwhile', async (_, list, body) => {
    let served = 0
    const serveOthers = () => {
      served += 1
      others = setImmediate(serveOthers)
    }
    let others = setImmediate(serveOthers)
    const { render: atOnce, renderInPieces } = rendererOf(reply, list, false)
    const { payload } = await renderInPieces(body)
    clearImmediate(others)
    expect(JSON.parse(String(payload))).toEqual(JSON.parse(String(atOnce(body).payload)))
    if (String(payload).length > 100_000) expect(served).toBeGreaterThan(0)
  })

  it('writes bigint as integers and null as null', () => {
    const { cents, cents_or_null, ...rest } = whole
    expect(JSON.parse(serialize(whole))).toEqual({ cents: 123, cents_or_null: 456, ...rest })
    expect(JSON.parse(serialize(sparse))).toEqual({ ...sparse, cents: 123 })
  })

  it('omits fields outside the contract, which the check detects', () => {
    const more = render(operation, serialize, { ...whole, secret: 'x' })
    expect(more.payload).not.toContain('secret')
    expect(() => checkAnswer(operation, more)).toThrow('lost')
    const deep = render(operation, serialize, { ...whole, part: { name: 'x', secret: 'y' } })
    expect(() => checkAnswer(operation, deep)).toThrow('lost')
  })

  it('rejects an answer without a required field', () => {
    const { part: _, ...less } = whole
    expect(() => serialize(less)).toThrow('"part" is required')
  })

  it('detects a null that became another value, and a value outside its enum', () => {
    for (const wrong of [{ cents: null }, { kind: 'C' }, { day_or_null: 'yesterday' }]) {
      const answered = render(operation, serialize, { ...whole, ...wrong })
      expect(() => checkAnswer(operation, answered)).toThrow()
    }
    expect(() => checkAnswer(operation, render(operation, serialize, whole))).not.toThrow()
    expect(() => checkAnswer(operation, render(operation, serialize, sparse))).not.toThrow()
  })

  it('gives a reply its own status and headers, a file its bytes, and 204 no body', () => {
    const created = new Reply(whole, { status: 201, headers: { 'x-a': 'b' } })
    expect(render(operation, serialize, created)).toMatchObject({
      status: 201,
      headers: { 'x-a': 'b', 'content-type': 'application/json; charset=utf-8' },
    })
    const file = render(operations.getDocument, serialize, Buffer.from('%PDF'))
    expect(file.payload).toEqual(Buffer.from('%PDF'))
    expect(render(operations.deleteWebhook, serialize, null)).toMatchObject({
      status: 204,
      payload: null,
    })
  })

  it('has a serializer for every operation that answers JSON', () => {
    const all = Object.values({ ...operations, ...adminOperations }) as Operation[]
    for (const each of all.filter(one => one.success !== 204 && !one.media_type)) {
      expect(() => reply.compileSerializationSchema(answerSchema(each))).not.toThrow()
    }
  })
})
