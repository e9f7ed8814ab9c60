/** What is told about the interface: the OpenAPI document, the reference, a page per problem. */
import { eventTypes, openapi, type ProblemCode, problems } from '@headroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { problem } from '../kit/problem.ts'
import { escapeHtml, htmlPage, sendPage } from './page.ts'
import { referencePage } from './reference.ts'
import { servedOperations } from './routes.ts'

/** Adds `/openapi.json`, `/docs`, `/problems` and `/problems/{code}`; none asks for a key. */
export function addDocs(app: FastifyInstance, { config }: Context): void {
  let written: Written | null = null
  const told = () => (written ??= writeDocs(config))

  app.get('/openapi.json', async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(told().json),
  )
  app.get('/docs', async (_request, reply) => sendPage(reply, told().reference))
  app.get('/problems', async (_request, reply) => sendPage(reply, problemsPage()))
  app.get<{ Params: { code: string } }>('/problems/:code', async ({ params }, reply) => {
    if (!Object.hasOwn(problems, params.code)) {
      throw problem('route_unknown', `There is no problem ${params.code}.`)
    }
    return sendPage(reply, problemPage(params.code as ProblemCode))
  })
}

interface Written {
  readonly json: string
  readonly reference: string
}

/** Written when somebody asks for it, once: it is all of the contract. */
function writeDocs({ mode, base_url }: Context['config']): Written {
  const served = Object.fromEntries(servedOperations(mode))
  const document = { ...openapi(served, eventTypes), servers: [{ url: base_url }] }
  return { json: JSON.stringify(document), reference: referencePage(document) }
}

function problemPage(code: ProblemCode): string {
  const { status, title, meaning } = problems[code]
  const body = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(meaning)}</p>
<p class="quiet">Code <code>${code}</code>, status ${status}.
<a href="/problems">All problems</a></p>`
  return htmlPage(title, body)
}

function problemsPage(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="/problems/${code}">${code}</a></td>
<td>${escapeHtml(title)}</td></tr>`,
  )
  return htmlPage('Problems', `<h1>Problems</h1><table><tbody>${rows.join('')}</tbody></table>`)
}
