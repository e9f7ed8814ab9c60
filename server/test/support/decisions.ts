/** Steps shared by decision tests: proposing as an agent, approving as a human. */
import type { BodyInput, Decision } from '@headroom/contract'
import { type Client, createClient } from '@headroom/sdk'
import type { TestApp } from './app.ts'

export type Planned = BodyInput<'proposeDecision'>['operations'][number]

/** Proposes a decision, by default as the agent, and by default approves it as the human. */
export async function approvedDecision(
  app: TestApp,
  operations: Planned[],
  { by = app.agent, approve = true }: { by?: Client; approve?: boolean } = {},
): Promise<Decision> {
  const words = { title: 'To do', rationale: 'Because it has to be done.' }
  const decision = await by.proposeDecision({ ...words, operations })
  const decision_id = decision.id
  return approve ? app.client.approveDecision({ decision_id, comment: 'Yes.' }) : decision
}

/** Creates another caller of the first partner, with its client. */
export async function anotherCaller(
  app: TestApp,
  input: Pick<BodyInput<'createKey'>, 'actor' | 'scopes'>,
) {
  const { key, caller } = await app.client.createKey({ name: 'Another', ...input })
  return { key, caller_id: caller.id, client: createClient({ base_url: app.base_url, key }) }
}

/** Sends an operation over plain HTTP, by default with the agent's key. */
export async function sendPlanned(
  app: TestApp,
  { method, path, body }: Planned,
  { key = app.agent_key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
) {
  const response = await fetch(`${app.base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const json = text === '' ? null : JSON.parse(text)
  return { status: response.status, json, headers: response.headers }
}

/** The status with `done`, such as `201 done`, or with the refusal's code. */
export async function statusOf(sent: ReturnType<typeof sendPlanned>): Promise<string> {
  const { status, json } = await sent
  return `${status} ${status < 300 ? 'done' : json.code}`
}
