/** The HTTP server: everything that applies to all requests. */
import type { Socket } from 'node:net'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import type { Context, Handlers } from '../../context.ts'
import { adminHandlers, type LiveHandlers } from '../../live-handlers.ts'
import { problem } from '../../platform/kit/problem.ts'
import { addAdminRoutes } from './admin-routes.ts'
import { admitAgent } from './auth.ts'
import { acceptBodies } from './body.ts'
import { answerBrokenRequest, headerFault } from './broken-request.ts'
import { addCardProcessor } from './card-processor.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { addConsole } from './console.ts'
import { discardBody } from './discard-body.ts'
import { addDocs } from './docs.ts'
import { requestId, securityHeaders } from './headers.ts'
import { addHealth } from './health.ts'
import { limitUnsentAnswers } from './limit-unsent-answers.ts'
import { createLimiter } from './limits.ts'
import { addMcp } from './mcp.ts'
import { addMetrics } from './metrics.ts'
import { addUnknown } from './not-found.ts'
import { isKnown } from './owner.ts'
import { sendProblem } from './problems.ts'
import { originForm } from './request-parsing.ts'
import { addFrontDoor } from './root-page.ts'
import { addRoutes, type RouteOptions } from './routes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves; undefined on our own pages. */
    operation?: string
  }
}

const SERVER_OPTIONS = {
  // `headerFault` refuses instead, because Node's refusal is not a problem document.
  requireHostHeader: false,
  /** How long a request may take to arrive, and how often late ones are checked for. */
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
}
const PARAM_LENGTH_MAX = 4000

export interface HttpOptions extends RouteOptions {
  readonly connection_limits?: ConnectionLimits
}

/**
 * Builds the server with all operations, ready to listen. Closing it waits for running requests and
 * refuses new ones with `not_ready`.
 */
export async function buildHttpServer(
  context: Context,
  handlers: Handlers | LiveHandlers,
  { connection_limits = CONNECTION_LIMITS, ...options }: HttpOptions = {},
): Promise<FastifyInstance> {
  const { config } = context
  const { open_max, network_max } = connection_limits
  const connections = new Connections(connection_limits, network =>
    context.log.warn({ network, open_max, network_max }, 'too many connections: closing some'),
  )
  const app: FastifyInstance = fastify({
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: requestId,
    // Rate limits use the client's address, not that of our own proxy.
    trustProxy: config.trusted_proxies.length > 0 ? [...config.trusted_proxies] : false,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    serverFactory: handle => connections.createServer(SERVER_OPTIONS, handle),
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => sendProblem(config, error, request, reply),
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(config, error, socket, connections.isAwaiting(socket)),
  })
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  app.server.on('connect', (_request, socket: Socket) => {
    // Node no longer handles this connection's errors.
    socket.on('error', () => {})
    answerBrokenRequest(config, { code: 'CONNECT' }, socket, connections.isAwaiting(socket))
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('decision_id', null)
  app.decorateRequest('person', null)
  app.decorateRequest('returning', null)
  app.setErrorHandler((error, request, reply) => sendProblem(config, error, request, reply))
  acceptBodies(app)
  addEveryRequest(app, context, connections)
  limitUnsentAnswers(app)
  addUnknown(app)
  addHealth(app, context)
  addMetrics(app, context)
  addDocs(app, context)
  addFrontDoor(app, context)
  addCardProcessor(app, context)
  await addConsole(app)
  const limiter = createLimiter(config.rate_limit)
  addRoutes(app, context, handlers, limiter, options)
  addAdminRoutes(app, context, adminHandlers, limiter, options)
  addMcp(app, context, admitAgent(context, limiter))
  await app.ready()
  return app
}

function addEveryRequest(
  app: FastifyInstance,
  { config }: Context,
  connections: Connections,
): void {
  const headers = securityHeaders(config)
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    connections.stop()
  })
  let warned = false
  app.addHook('onRequest', async (request, reply) => {
    if (!warned && request.headers['x-forwarded-for'] !== undefined && !config.trusted_proxies[0]) {
      warned = true
      const fields = { address: request.ip }
      request.log.warn(
        fields,
        'X-Forwarded-For is ignored: HEADROOM_TRUSTED_PROXIES names no proxy',
      )
    }
    reply.headers(headers).header('x-request-id', request.id)
    const fault = headerFault(request.raw)
    if (fault !== null) {
      reply.header('connection', 'close')
      throw problem('header_invalid', fault)
    }
    if (closing) throw problem('not_ready', 'The server is stopping.', { retry_after_seconds: 2 })
  })
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    connections.identify(request.raw, isKnown(request))
    done()
  })
  // An answer sent during shutdown closes its connection, for which `close` would otherwise wait.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    // Requests refused in `onRequest` skip the hook above.
    connections.identify(request.raw, isKnown(request))
    discardBody(request, reply, () => done(null, payload))
  })
  app.addHook('onResponse', async (request, reply) => {
    const { caller, method, url, routeOptions } = request
    request.log.info(
      {
        operation: routeOptions.config.operation,
        method,
        // Without the query, which may contain a signature.
        path: url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        partner_id: caller?.partner_id,
        caller_id: caller?.caller_id,
      },
      'answered',
    )
  })
}
