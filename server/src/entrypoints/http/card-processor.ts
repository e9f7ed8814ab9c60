/** The endpoint for the card processor's authorization requests and events. */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { type AuthorizationDecision, receiveCardEvents } from '../../credit/cards/index.ts'
import type { AuthorizationRequest } from '../../integrations/ports/card-issuer.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { createAuthorizationBatcher } from './batch-authorizations.ts'

const ALL = { partners: '*', purpose: 'card', actor: 'processor' } as const

/**
 * `POST /card-processor/events`, for a processor that calls us. It requires no key: a signature
 * over the raw bytes authenticates the processor. Authorization requests are decided in the
 * transaction that holds the amount; other events are stored and booked by a job.
 */
export function addCardProcessor(app: FastifyInstance, context: Context): void {
  const { ports, database } = context
  if (ports.cards.processor !== 'stripe') return
  const decide = createAuthorizationBatcher(database)
  const config = { body_limits: BODY_LIMITS, raw_body: true } as const
  app.post('/card-processor/events', { config }, async (request, reply) => {
    const signature = String(request.headers['stripe-signature'] ?? '')
    const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
    const event = ports.cards.open(bytes, signature)
    if (!event) throw problem('signature_invalid', 'The signature is not that of the processor.')
    if (event.authorization_request) {
      reply.headers(event.answer_headers)
      return event.authorization_request === 'unreadable'
        ? REFUSED
        : answerOf(event.authorization_request, await decide(event.authorization_request))
    }
    const { event_ref, kind, raw } = event
    await transaction(database, ALL, tx => receiveCardEvents(tx, { event_ref, kind, raw }))
    return { received: true }
  })
}

/** Limits for bodies, which are parsed only after their signature is verified. */
const BODY_LIMITS = { bytes: 256 * 1024, items: 10_000 }

const REFUSED = { approved: false }

function answerOf(
  authorization_request: AuthorizationRequest,
  decision: AuthorizationDecision | ProblemError,
) {
  if (decision instanceof ProblemError) return REFUSED
  const partly =
    decision.approved &&
    authorization_request.allow_partial &&
    authorization_request.held_before === 0n
  return { approved: decision.approved, ...(partly && { amount: Number(decision.amount) }) }
}
