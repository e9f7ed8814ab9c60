/** Reads bodies that are forms: fields of text and one file. */
import { type OperationId, operations } from '@headroom/contract'
import type { FastifyRequest } from 'fastify'
import { type InvalidParam, invalid, problem } from '../kit/problem.ts'

const PARTS_MAX = 20

/** Whether the operation that is called takes a form. */
export function expectsForm(request: FastifyRequest): boolean {
  const id = request.routeOptions.config.operation as OperationId | undefined
  return id !== undefined && 'body_media_type' in operations[id]
}

/**
 * The fields of a form. Its file, whatever the form calls it, is `file`, with its content in
 * base64. Throws `body_malformed` when it is no form, `request_invalid` for what comes twice.
 */
export async function readForm(
  bytes: Buffer,
  content_type: string,
): Promise<Record<string, unknown>> {
  const form = await parse(bytes, content_type)
  const faults: InvalidParam[] = []
  const fields = new Map<string, unknown>()
  for (const [name, value] of form) {
    const key = typeof value === 'string' ? name : 'file'
    if (fields.has(key)) faults.push({ name: key, reason: 'is there more than once' })
    fields.set(key, typeof value === 'string' ? value : await fileOf(value))
  }
  if (fields.size > PARTS_MAX) faults.push({ name: 'body', reason: `has over ${PARTS_MAX} parts` })
  if (faults.length > 0) throw invalid(...faults.slice(0, PARTS_MAX))
  return Object.fromEntries(fields)
}

async function fileOf(file: File): Promise<{ filename: string; content: string }> {
  const content = Buffer.from(await file.arrayBuffer()).toString('base64')
  return { filename: file.name, content }
}

async function parse(bytes: Buffer, content_type: string): Promise<FormData> {
  try {
    const headers = { 'content-type': content_type }
    return await new Response(new Uint8Array(bytes), { headers }).formData()
  } catch {
    const reason = 'is not multipart/form-data'
    throw problem('body_malformed', `The body ${reason}.`, {
      invalid_params: [{ name: 'body', reason }],
    })
  }
}
