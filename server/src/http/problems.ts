/** Every refusal and failure as RFC 9457, whoever raised it. */
import { type ProblemCode, problems } from '@headroom/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ProblemError, problem } from '../kit/problem.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** What the framework refuses before we see it. */
const FRAMEWORK_CODES: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
}

/** PostgreSQL is stopping, starting or has no room. */
const DATABASE_AWAY = ['57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE']
const CONNECTION_LOST = /^(Connection terminated|Client has encountered a connection error)/
const QUERY_CANCELED = '57014'
const RETRY_SECONDS = 2

interface Raised {
  code?: unknown
  syscall?: unknown
  statusCode?: unknown
  message?: unknown
}

/** The problem that an error is answered as. What is not expected says nothing about itself. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const { code, syscall, statusCode, message } = (error ?? {}) as Raised
  const known = FRAMEWORK_CODES[String(code)]
  if (known) return problem(known)
  if (String(code).startsWith('FST_') && Number(statusCode) >= 400 && Number(statusCode) < 500) {
    return problem('header_invalid', String(message))
  }
  const away = syscall === 'connect' || DATABASE_AWAY.includes(String(code))
  if (away || CONNECTION_LOST.test(String(message))) {
    return problem('not_ready', undefined, { retry_after_seconds: RETRY_SECONDS })
  }
  return problem(code === QUERY_CANCELED ? 'timed_out' : 'internal_error')
}

/** The body of a problem, for a request with this id on this address. */
export function problemBody(config: Config, error: ProblemError, id: string, url: string) {
  const { code, status, extras, message } = error
  return {
    type: `${config.base_url}/problems/${code}`,
    title: problems[code].title,
    status,
    detail: message,
    // The query may hold a signature.
    instance: url.split('?', 1)[0]!,
    code,
    invalid_params: extras.invalid_params ?? [],
    request_id: id,
    ...(extras.resource_id && { resource_id: extras.resource_id }),
  }
}

/** Answers an error; what was not expected is logged with its cause. */
export function sendProblem(
  config: Config,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refused = asProblem(error)
  if (refused.status >= 500) request.log.error({ err: error }, refused.code)
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
