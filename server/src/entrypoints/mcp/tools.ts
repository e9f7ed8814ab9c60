/** The tools for agents: every suitable operation of the contract, described for a model. */
import { jsonSchema, type Operation, type OperationId, type operations } from '@headroom/contract'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { yieldThread } from '../../platform/kit/pauses.ts'
import { type Field, withUnits } from './units.ts'

export interface OperationTool {
  readonly id: OperationId
  readonly operation: Operation
  readonly tool: Tool
  readonly json: Buffer
}

/** Arguments about the request itself rather than its content. */
export const DECISION_ARGUMENT = 'decision_id'
export const KEY_ARGUMENT = 'idempotency_key'

/**
 * Whether an operation becomes a tool. Excludes operations that answer files, take forms or need no
 * API key, and those only for human reviewers, borrowers or the sandbox.
 */
function isTool(operation: Operation): boolean {
  const { scope, sandbox, media_type, body_media_type, gated, borrowers } = operation
  if (scope === null || sandbox || media_type || body_media_type) return false
  if (borrowers === 'only') return false
  return !(gated && scope === 'decisions:review')
}

/**
 * Builds the tools of the operations that a deployment serves, in order. This takes long, so it
 * yields to other requests.
 */
export async function toolsOf(
  served: readonly [keyof typeof operations, Operation][],
): Promise<OperationTool[]> {
  const tools: OperationTool[] = []
  for (const [id, operation] of served) {
    if (!isTool(operation)) continue
    await yieldThread()
    const tool = describeTool(id, operation)
    tools.push({ id, operation, tool, json: Buffer.from(JSON.stringify(tool)) })
  }
  return tools
}

export function toolsWithin(
  tools: readonly OperationTool[],
  scopes: ReadonlySet<string>,
): OperationTool[] {
  return tools.filter(({ operation: { scope, or_scopes = [] } }) => {
    const enough = or_scopes.some(other => scopes.has(other))
    return scope === 'any' || enough || scopes.has(scope!)
  })
}

function describeTool(id: string, operation: Operation): Tool {
  const { method, path, summary, description, gated, params, query, body } = operation
  const reads = method === 'GET' || !gated
  const shape: Record<string, z.ZodType> = { ...params?.shape, ...query?.shape }
  if (body) shape.body = operation.body_optional ? body.optional() : body
  if (gated) {
    shape[DECISION_ARGUMENT] = z.uuid().describe('The approved decision that this is a step of.')
  }
  if (!reads || id === 'proposeDecision') {
    shape[KEY_ARGUMENT] = z
      .string()
      .max(255)
      .optional()
      .describe('Repeating a call with the same key answers what the first call answered.')
  }
  const schema = withUnits(jsonSchema(z.strictObject(shape), 'input') as Field)
  const lines = [
    `${summary} (${method} ${path}).`,
    // The contract breaks descriptions over several lines.
    ...(description ? [description.replaceAll(/\s+/g, ' ')] : []),
    ...(gated ? [GATED] : []),
  ]
  return {
    name: id,
    title: summary,
    description: lines.join('\n\n'),
    inputSchema: { ...schema, type: 'object' },
    annotations: {
      title: summary,
      readOnlyHint: method === 'GET' || (reads && !id.endsWith('Decision')),
      destructiveHint: gated,
      idempotentHint: method === 'GET',
      openWorldHint: false,
    },
  }
}

const GATED = `Writes, so it needs an approved decision: first call proposeDecision with this
method, path and body, wait until a person has approved it (getDecision), then call this with
decision_id and exactly that body, references resolved. Each step once, in order.`
