/** Resources for agents: documentation pages, problems, the clock, and objects by address. */
import { readFile } from 'node:fs/promises'
import { type Operation, problems } from '@headroom/contract'
import type { Context } from '../../context.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { Answer, SendRequest } from './call-operation.ts'
import type { OperationTool } from './tools.ts'

const SCHEME = 'headroom:/'
const DOCS_FOLDER = new URL('../../../../docs/', import.meta.url)

const PAGES = {
  concepts: 'How lending works here: time, money, lines, loans, bills, decisions.',
  agents: 'How an agent works: read, propose, wait, execute. With an example.',
  machines: 'The statuses of everything, and what leads from one to another.',
} as const

/** Allows neither dots nor percent signs in the path, which could lead to another address. */
const DOCUMENT = /^\/document\/[\w-]+(\?[\w=&%.-]*)?$/

const MARKDOWN = 'text/markdown'
const JSON_TYPE = 'application/json'

export const resources = [
  ...Object.entries(PAGES).map(([name, description]) => ({
    uri: `${SCHEME}/docs/${name}`,
    name,
    description,
    mimeType: MARKDOWN,
  })),
  {
    uri: `${SCHEME}/problems`,
    name: 'problems',
    description: 'Every code that a refusal may carry, and what to do about it.',
    mimeType: JSON_TYPE,
  },
  {
    uri: `${SCHEME}/clock`,
    name: 'clock',
    description: 'The moment and the business day that all rules go by.',
    mimeType: JSON_TYPE,
  },
]

/** Templates for objects readable by id alone, and for documents at the addresses in answers. */
export function templatesOf(tools: readonly OperationTool[], base_url: string) {
  const described = tools
    .filter(({ operation }) => isSingleResource(operation))
    .map(({ id, operation: { path, summary } }) => ({
      uriTemplate: `${SCHEME}${path}`,
      name: id,
      description: summary,
      mimeType: JSON_TYPE,
    }))
  const document = {
    uriTemplate: `${base_url}/document/{document_id}{?expires,signature}`,
    name: 'document',
    description: 'Contracts, terms, mandates, bills: PDF at the address that a resource carries.',
    mimeType: 'application/pdf',
  }
  return [...described, document]
}

function isSingleResource({ method, params, path }: Operation): boolean {
  return method === 'GET' && params !== undefined && path.endsWith('}')
}

/** Reads a resource; null when its address does not exist. */
export async function readResource(
  session: { context: Context; tools: readonly OperationTool[]; send: SendRequest },
  uri: string,
): Promise<Answer | null> {
  const { context, tools, send } = session
  const { base_url } = context.config
  if (uri.startsWith(`${base_url}/`)) {
    const address = uri.slice(base_url.length)
    return DOCUMENT.test(address) ? send({ method: 'GET', address }) : null
  }
  if (!uri.startsWith(`${SCHEME}/`)) return null
  const path = uri.slice(SCHEME.length)
  if (path === '/problems') return ofJson(problems)
  if (path === '/clock') return ofJson(await readClock(context))
  const page = path.startsWith('/docs/') ? path.slice('/docs/'.length) : ''
  if (Object.hasOwn(PAGES, page)) {
    const bytes = await readFile(new URL(`${page}.md`, DOCS_FOLDER))
    return { status: 200, type: MARKDOWN, bytes }
  }
  const known = tools.some(({ operation }) => {
    const pattern = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/?#.%]+')}$`)
    return isSingleResource(operation) && pattern.test(path)
  })
  return known ? send({ method: 'GET', address: path }) : null
}

export async function readClock({ database }: Context) {
  return transaction(database, { partners: '*', read_only: true }, async tx => ({
    now: tx.now.toISOString(),
    business_date: tx.today,
  }))
}

function ofJson(value: unknown): Answer {
  return { status: 200, type: JSON_TYPE, bytes: Buffer.from(JSON.stringify(value)) }
}
