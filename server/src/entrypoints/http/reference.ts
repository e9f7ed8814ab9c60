/** The API reference as one page, rendered entirely from the OpenAPI document. */
import type { Json } from '@headroom/contract'
import { escapeHtml, htmlPage } from './page.ts'

interface Described {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  deprecated?: boolean
  parameters: { $ref?: string; name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: {
    required: boolean
    description?: string
    content: Record<string, { schema: Json }>
  }
  responses: Record<string, { content?: Record<string, { schema: Json }> }>
  'x-problem-codes': string[]
}

interface Entry {
  method: string
  path: string
  operation: Described
}

export function referencePage(document: Json): string {
  const paths = document.paths as Record<string, Record<string, Described>>
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  const groups = Map.groupBy(entries, ({ operation }) => operation.tags[0] ?? '')
  const names = [...groups.keys()].sort()
  const { schemas } = document.components as { schemas: Record<string, Json> }
  const links = names.map(name => `<a href="#group-${name}">${title(name)}</a>`)
  const body = `<h1>Headroom: reference</h1>
<p>${escapeHtml(String((document.info as Json).description))} Sign in with
<code>Authorization: Bearer &lt;key&gt;</code>.
For programs: <a href="/openapi.json">openapi.json</a>.
Errors are explained on their <a href="/problems">own pages</a>.</p>
<nav>${links.join('')}<a href="#schemas">Schemas</a></nav>
${names.map(name => group(name, groups.get(name)!)).join('')}
<h2 id="schemas">Schemas</h2>
${Object.entries(schemas).map(named).join('')}`
  return htmlPage('Headroom: reference', body)
}

const title = (name: string) => escapeHtml(name[0]!.toUpperCase() + name.slice(1).replace('_', ' '))

function group(name: string, entries: Entry[]): string {
  return `<h2 id="group-${name}">${title(name)}</h2>${entries.map(section).join('')}`
}

function section({ method, path, operation }: Entry): string {
  const { operationId, summary, description, deprecated, requestBody } = operation
  const fields = operation.parameters
    .filter(parameter => !parameter.$ref)
    .map(({ name, in: where, required, schema }) => row(name, schema, required, where))
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const limits = escapeHtml(requestBody?.description ?? '')
  const optional = requestBody?.required ? '' : ' (may be left out)'
  return `<h3 id="${operationId}">${escapeHtml(summary)}</h3>
<p><code>${method.toUpperCase()} ${escapeHtml(path)}</code>
${deprecated ? '(deprecated alias)' : ''}</p>
${description ? `<p>${escapeHtml(description)}</p>` : ''}
${table(fields)}
${body ? `<p>Body${optional}. ${limits}</p>${content(body)}` : ''}
${answer(operation)}
<p class="quiet">May refuse with ${operation['x-problem-codes'].map(problemLink).join(', ')}.</p>`
}

function answer({ responses }: Described): string {
  const [status, response] = Object.entries(responses).find(([code]) => code < '300') ?? []
  const [type, media] = Object.entries(response?.content ?? {})[0] ?? []
  if (!media) return `<p>Answers ${status} without a body.</p>`
  if (type !== 'application/json') return `<p>Answers ${status} with ${type}.</p>`
  return `<p>Answers ${status}:</p>${content(media.schema)}`
}

const problemLink = (code: string) => `<a href="/problems/${code}">${code}</a>`

function named([name, schema]: [string, Json]): string {
  return `<h3 id="schema-${name}">${escapeHtml(name)}</h3>${content(schema)}`
}

function content(schema: Json): string {
  const { properties, required = [] } = schema as {
    properties?: Record<string, Json>
    required?: string[]
  }
  if (!properties) return `<p>${kind(schema)}</p>`
  const rows = Object.entries(properties).map(([name, field]) =>
    row(name, field, required.includes(name), ''),
  )
  return table(rows)
}

function table(rows: string[]): string {
  if (rows.length === 0) return ''
  return `<table><thead><tr><th>Name</th><th>What it is</th><th></th></tr></thead>
<tbody>${rows.join('')}</tbody></table>`
}

function row(name: string, schema: Json, required: boolean, where: string): string {
  const notes = [where, required ? 'required' : ''].filter(Boolean).join(', ')
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${kind(schema)}</td>
<td class="quiet">${notes}</td></tr>`
}

/** Describes a schema in a few words, with a link if it is named. */
function kind(schema: Json): string {
  const { $ref, anyOf, type, items, properties, format, default: preset } = schema
  if (typeof $ref === 'string') {
    const name = escapeHtml($ref.split('/').at(-1)!)
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(kind))].join(' or ')
  const fallback = preset === undefined ? '' : `, default ${literal(preset)}`
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(', ') + fallback
  if ('const' in schema) return literal(schema.const)
  if (type === 'array') return `list of ${kind((items as Json) ?? {})}`
  if (type === 'object' && properties) {
    const fields = Object.entries(properties as Record<string, Json>)
    return `{ ${fields.map(([name, field]) => `${escapeHtml(name)}: ${kind(field)}`).join('; ')} }`
  }
  const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']
    .filter(bound => bound in schema)
    .map(bound => `${bound} ${schema[bound]}`)
  const name = String(format ?? [type ?? 'anything'].flat().join(' or '))
  return escapeHtml([name, ...bounds].join(', ')) + fallback
}

const literal = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value))}</code>`
