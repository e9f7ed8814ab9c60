/** The error that a refused request throws. */
import type { ProblemCode } from '@headroom/contract'

interface ProblemBody {
  title?: string
  detail?: string
  code?: string
  invalid_params?: { name: string; reason: string }[]
  request_id?: string
  resource_id?: string
}

/** Thrown if a response is not successful. */
export class HeadroomProblem extends Error {
  override name = 'HeadroomProblem'
  readonly status: number
  /** One of the contract's codes; `unknown` if the response has none, such as one from a proxy. */
  readonly code: ProblemCode | 'unknown'
  readonly title: string
  readonly invalid_params: readonly { readonly name: string; readonly reason: string }[]
  readonly request_id: string | null
  /** The existing resource that conflicts with the request, if any. */
  readonly resource_id: string | null
  readonly headers: Headers

  constructor(response: Response, body: ProblemBody) {
    super(body.detail ?? body.title ?? `status ${response.status}`)
    this.status = response.status
    this.code = (body.code ?? 'unknown') as ProblemCode | 'unknown'
    this.title = body.title ?? ''
    this.invalid_params = body.invalid_params ?? []
    this.request_id = body.request_id ?? response.headers.get('x-request-id')
    this.resource_id = body.resource_id ?? null
    this.headers = response.headers
  }
}

/** Reads the problem from a response, even if the body is not JSON. */
export async function readProblem(response: Response): Promise<HeadroomProblem> {
  const text = await response.text()
  try {
    return new HeadroomProblem(response, JSON.parse(text) ?? {})
  } catch {
    return new HeadroomProblem(response, {})
  }
}
