/** Pages about the API: the OpenAPI document, the reference, and a page for each problem. */
import { eventTypes, openapi, type ProblemCode, problems } from '@headroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { problem } from '../../platform/kit/problem.ts'
import {
  escapeHtml,
  htmlPage,
  type Published,
  publish,
  publishPage,
  sendPage,
  sendPublished,
} from './page.ts'
import { referencePage } from './reference.ts'
import { servedOperations } from './routes.ts'

/** Adds `/openapi.json`, `/docs`, `/problems` and `/problems/{code}`, which require no key. */
export function addDocs(app: FastifyInstance, { config }: Context): void {
  let written: Written | null = null
  const docs = () => (written ??= writeDocs(config))

  app.get('/openapi.json', async (request, reply) => sendPublished(request, reply, docs().openapi))
  app.get('/docs', async (request, reply) => sendPublished(request, reply, docs().reference))
  app.get('/problems', async (request, reply) => sendPublished(request, reply, docs().problems))
  app.get<{ Params: { code: string } }>('/problems/:code', async ({ params }, reply) => {
    if (!Object.hasOwn(problems, params.code)) {
      throw problem('route_unknown', `There is no problem ${params.code}.`)
    }
    return sendPage(reply, problemPage(params.code as ProblemCode))
  })
}

interface Written {
  readonly openapi: Published
  readonly reference: Published
  readonly problems: Published
}

/** Covers the whole contract, so it is generated only once, on the first request. */
function writeDocs({ mode, base_url }: Context['config']): Written {
  const served = Object.fromEntries(servedOperations(mode))
  const document = { ...openapi(served, eventTypes), servers: [{ url: base_url }] }
  return {
    openapi: publish(JSON.stringify(document), OPENAPI_HEADERS),
    reference: publishPage(referencePage(document)),
    problems: publishPage(problemsPage()),
  }
}

const OPENAPI_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
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
