/** Reads bodies that are forms: fields of text, and one file where there is any. */
import type { Operation } from '@headroom/contract'
import type { FastifyRequest } from 'fastify'
import { type InvalidParam, invalid, problem } from '../kit/problem.ts'

const PARTS_MAX = 20

/** The kind of form that the operation which is called takes, or undefined. */
export function expectedForm(request: FastifyRequest): Operation['body_media_type'] {
  return request.routeOptions.config.form
}

/** The fields of a form without files. Throws `request_invalid` for what comes twice. */
export function readFields(bytes: Buffer): Record<string, string> {
  const pairs = [...new URLSearchParams(bytes.toString('utf8'))].slice(0, PARTS_MAX + 1)
  const fields = new Map(pairs)
  if (pairs.length > PARTS_MAX) {
    throw invalid({ name: 'body', reason: `has over ${PARTS_MAX} parts` })
  }
  if (fields.size < pairs.length) {
    const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) < at)!
    throw invalid({ name: twice[0], reason: 'is there more than once' })
  }
  return Object.fromEntries(fields)
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
