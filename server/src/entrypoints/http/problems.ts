/** Turns every refusal and failure into an RFC 9457 problem. */
import { type ProblemCode, problems } from '@headroom/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { CommitUnknownError } from '../../platform/db/transaction.ts'
import { type Unavailability, unavailabilityOf } from '../../platform/db/unavailable.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** Refusals by the framework before our code runs. */
const FRAMEWORK_CODES: Record<string, ProblemCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
}

const QUERY_CANCELED = '57014'
/** A serialization failure or deadlock that retries did not resolve. */
const ROLLED_BACK = ['40001', '40P01']

const UNAVAILABLE: Record<Unavailability, () => ProblemError> = {
  exhausted: () => problem('connections_exhausted', undefined, { retry_after_seconds: 2 }),
  away: () => problem('not_ready', undefined, { retry_after_seconds: 2 }),
  full: () => problem('storage_full', undefined, { retry_after_seconds: 30 }),
  read_only: () =>
    problem('not_ready', 'The database accepts no writes at present. Try again shortly.', {
      retry_after_seconds: 5,
    }),
}

interface Raised {
  code?: unknown
  statusCode?: unknown
  message?: unknown
}

/** The problem that answers an error. Unexpected errors reveal nothing about their cause. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof CommitUnknownError) return problem('outcome_unknown')
  const { code, statusCode, message } = (error ?? {}) as Raised
  const known = FRAMEWORK_CODES[String(code)]
  if (known) return problem(known)
  if (String(code).startsWith('FST_') && Number(statusCode) >= 400 && Number(statusCode) < 500) {
    return problem('header_invalid', String(message))
  }
  const why = unavailabilityOf(error)
  if (why) return UNAVAILABLE[why]()
  if (ROLLED_BACK.includes(String(code))) {
    const detail = 'Others kept changing the same data, so this was rolled back. Try again shortly.'
    return problem('not_ready', detail, { retry_after_seconds: 2 })
  }
  return problem(code === QUERY_CANCELED ? 'timed_out' : 'internal_error')
}

export function problemBody(config: Config, error: ProblemError, id: string, url: string) {
  const { code, status, extras, message } = error
  const { invalid_params = [], more_faults = 0 } = extras
  return {
    type: `${config.base_url}/problems/${code}`,
    title: problems[code].title,
    status,
    detail: message,
    // The query may contain a signature.
    instance: url.split('?', 1)[0]!,
    code,
    invalid_params,
    ...(more_faults > 0 && { faults_count: invalid_params.length + more_faults }),
    request_id: id,
    ...(extras.resource_id && { resource_id: extras.resource_id }),
  }
}

/** Answers an error, and logs it with its cause if the status is 500 or higher. */
export function sendProblem(
  config: Config,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refused = asProblem(error)
  if (refused.status >= 500) logRefusal(request, refused.code, error)
  if (refused.status === 401) {
    const reason = refused.code === 'key_invalid' ? ', error="invalid_token"' : ''
    reply.header('www-authenticate', `Bearer realm="headroom"${reason}`)
  }
  const wait = refused.extras.retry_after_seconds
  if (wait !== undefined) reply.header('retry-after', String(wait))
  return reply
    .code(refused.status)
    .header('x-request-id', request.id)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(config, refused, request.id, request.url)))
}

/** Logs `not_ready` and `storage_full`, of which there may be many, in one line without a stack. */
function logRefusal({ log }: FastifyRequest, code: ProblemCode, error: unknown): void {
  const reason = error instanceof Error ? error.message : undefined
  const isBusy = code === 'not_ready' || code === 'connections_exhausted'
  if (isBusy && reason) log.warn({ reason }, code)
  else if (code === 'storage_full' && reason) log.error({ reason }, code)
  else log.error({ err: error }, code)
}
