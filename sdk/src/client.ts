/** The client, with a method for each of the contract's operations. */
import { type Operation, type OperationId, operations } from '@headroom/contract'
import { send } from './send.ts'
import type { Answered, Args, CallOptions, Client, ClientOptions, ListId } from './types.ts'

type Fields = Record<string, unknown>

const ATTEMPTS_MAX = 4

/**
 * A client for the service at `base_url`. Each operation's method takes all input fields in one
 * object and returns the body of the response. Throws `HeadroomProblem` for an error response.
 */
export function createClient(settings: ClientOptions): Client {
  async function call<Id extends OperationId>(id: Id, ...args: Args<Id>): Promise<Answered<Id>> {
    const [input = {}, options = {}] = args as [Fields?, CallOptions?]
    const operation: Operation = operations[id]
    const { path, body } = place(operation, input)
    // `fetch` sets the content type of a form, with the multipart boundary if it has one.
    const headers = headersOf(operation, settings, options, typeof body === 'string')
    const init = { method: operation.method, headers, body, signal: options.signal }
    const url = `${settings.base_url.replace(/\/$/, '')}${path}`
    const response = await send(
      () => (settings.fetch ?? fetch)(url, init),
      settings.attempts_max ?? ATTEMPTS_MAX,
      operation.method !== 'DELETE',
    )
    const data = (await read(operation, response)) as Answered<Id>['data']
    return { data, status: response.status, headers: response.headers }
  }

  async function* each(id: ListId, input: Fields = {}, options: CallOptions = {}) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const fields = cursor === undefined ? input : { ...input, cursor }
      const { data } = await call(id, ...([fields, options] as unknown as Args<ListId>))
      yield* data.data
      const next = data.next_page && new URL(data.next_page, 'http://next').searchParams
      cursor = next ? next.get('cursor') : null
    }
  }

  const methods = Object.keys(operations).map(id => [
    id,
    async (...args: Args<OperationId>) => (await call(id as OperationId, ...args)).data,
  ])
  return { ...Object.fromEntries(methods), call, each }
}

/**
 * Splits the input into path, query and body. For GET and DELETE, all fields that are not in the
 * path go to the query.
 */
function place({ path, method, query, body, body_media_type: form }: Operation, input: Fields) {
  const rest = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(input[name]))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) {
    if (method !== 'GET' && method !== 'DELETE' && !(query && name in query.shape)) continue
    delete rest[name]
    for (const item of [value].flat()) if (item != null) search.append(name, String(item))
  }
  const has = body !== undefined || Object.keys(rest).length > 0
  const sent = has ? bodyOf(form, rest) : undefined
  return { path: search.size > 0 ? `${filled}?${search}` : filled, body: sent }
}

function bodyOf(form: Operation['body_media_type'], fields: Fields) {
  if (form === 'multipart/form-data') return formOf(fields)
  if (form === undefined) return JSON.stringify(fields)
  const pairs = Object.entries(fields).filter(([, value]) => value != null)
  return new URLSearchParams(Object.fromEntries(pairs.map(([name, v]) => [name, String(v)])))
}

/** A form: bytes become files, and all other fields text. */
function formOf(fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.append(name, value)
    else if (value instanceof Uint8Array) form.append(name, new Blob([value.slice()]), name)
    else if (value != null) form.append(name, String(value))
  }
  return form
}

function headersOf(
  { method }: Operation,
  { key, version: pinned }: ClientOptions,
  { idempotency_key, decision_id, version = pinned, headers }: CallOptions,
  hasBody: boolean,
): Record<string, string> {
  const repeatable = method === 'POST' || method === 'PATCH' || method === 'PUT'
  return {
    authorization: `Bearer ${key}`,
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(version && { 'headroom-version': version }),
    ...(repeatable && { 'idempotency-key': idempotency_key ?? crypto.randomUUID() }),
    ...(decision_id && { 'x-decision-id': decision_id }),
    ...headers,
  }
}

/** Reads JSON as its value, text as a string, files as bytes and an empty body as null. */
async function read({ success, media_type }: Operation, response: Response): Promise<unknown> {
  if (success === 204) return null
  if (media_type?.startsWith('text/')) return response.text()
  return media_type ? new Uint8Array(await response.arrayBuffer()) : response.json()
}
