/** The official MCP client, connected to a test server over HTTP. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'

export interface ToolResult {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a tool answers with its operation's JSON
  readonly json: any
}

/** A connected client, closed after the test, and a shorthand to call a tool. */
export async function mcpClient(app: Pick<TestApp, 'base_url' | 'agent_key'>, key = app.agent_key) {
  const client = new Client({ name: 'any agent', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${app.base_url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  // The library's transport uses looser types than its own interface.
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> => {
    const result = await client.callTool({ name, arguments: args })
    const [{ text }] = result.content as [{ text: string }]
    return { isError: result.isError === true, json: text === 'Done.' ? null : JSON.parse(text) }
  }
  return { client, call }
}
