/** The MCP server through the official client: tools, resources, and no way around its rules. */
import { randomUUID } from 'node:crypto'
import { type Operation, operations } from '@headroom/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { anotherCaller, approvedDecision } from '../support/decisions.ts'
import { mcpClient } from '../support/mcp.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const body = { name: 'by a tool', actor: 'agent', scopes: ['loans:read'] }
const plan = { method: 'POST', path: '/keys', body } as const

describe('connecting', () => {
  it('returns its name, the business day, units and limits', async () => {
    await app.client.advanceSandboxClock({ days: 3 })
    const { client } = await mcpClient(app)
    expect(client.getServerVersion()).toMatchObject({ name: 'headroom' })
    const { business_date } = await app.client.getSandboxClock()
    expect(client.getInstructions()).toContain(business_date.slice(0, 10))
    expect(client.getInstructions()).toMatch(/integer cents[\s\S]*45 days[\s\S]*proposeDecision/)
  })

  it('needs a valid key, and refuses pages of other origins', async () => {
    await expect(mcpClient(app, 'hr_sandbox_nobody')).rejects.toThrow(/key_invalid/)
    const init = (headers: Record<string, string>, method = 'POST') =>
      fetch(`${app.base_url}/mcp`, { method, headers })
    expect((await init({})).status).toBe(401)
    const signed = { authorization: `Bearer ${app.agent_key}` }
    expect((await init({ ...signed, origin: 'https://evil.example' })).status).toBe(403)
    for (const method of ['GET', 'DELETE']) {
      const answer = await init(signed, method)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    }
  })

  it('refuses borrower tokens, which are for cards only', async () => {
    const { id: borrower_id } = await readyBorrower(app)
    const { access_token } = await app.client.createBorrowerAccessToken({ borrower_id })
    await expect(mcpClient(app, access_token)).rejects.toThrow(/scope_missing/)
  })

  it('accepts a message that expects no answer with an empty response', async () => {
    const answer = await fetch(`${app.base_url}/mcp`, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      headers: {
        authorization: `Bearer ${app.agent_key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    })
    expect([answer.status, await answer.text()]).toEqual([202, ''])
    expect(answer.headers.get('content-type')).toBeNull()
  })

  it('answers an invalid message with an error, never with a 500', async () => {
    for (const sent of [
      '{',
      '[]',
      '{}',
      'null',
      '"x"',
      '{"jsonrpc":"2.0","method":"initialize"}',
    ]) {
      const answer = await fetch(`${app.base_url}/mcp`, {
        method: 'POST',
        body: sent,
        headers: {
          authorization: `Bearer ${app.agent_key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      })
      expect([sent, answer.status >= 200 && answer.status < 500]).toEqual([sent, true])
    }
  })

  it('answers a batch of calls, which may contain nothing else twice', async () => {
    const send = (methods: readonly string[]) =>
      fetch(`${app.base_url}/mcp`, {
        method: 'POST',
        body: JSON.stringify(
          methods.map((method, id) => ({
            jsonrpc: '2.0',
            id,
            method,
            params: method === 'tools/call' ? { name: 'listLoans', arguments: {} } : {},
          })),
        ),
        headers: {
          authorization: `Bearer ${app.agent_key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      })
    const served = await send(['tools/list', 'tools/call', 'tools/call'])
    const answers = (await served.json()) as { id: number; result?: unknown }[]
    const ids = answers.filter(({ result }) => result).map(({ id }) => id)
    expect([served.status, ids.sort()]).toEqual([200, [0, 1, 2]])
    const refused = await send(['tools/list', 'tools/call', 'tools/list'])
    const problem = { code: 'body_too_large', detail: expect.stringContaining('tools/list once') }
    expect([refused.status, await refused.json()]).toMatchObject([413, problem])
  })
})

describe('tools', () => {
  it('are the operations of the contract, except those for people and the sandbox', async () => {
    const { client } = await mcpClient(app)
    const { tools } = await client.listTools()
    const names = tools.map(tool => tool.name)
    const all = Object.entries(operations) as [string, Operation][]
    const others = all.filter(([id]) => !names.includes(id))
    for (const [id, o] of others) {
      const people = o.scope === 'decisions:review' || o.borrowers === 'only'
      const files = o.media_type || o.body_media_type
      expect([id, Boolean(o.sandbox || o.scope === null || people || files)]).toEqual([id, true])
    }
    expect(names).toEqual(
      expect.arrayContaining(['listLoans', 'createLoan', 'proposeDecision', 'getDecision']),
    )
    expect(names).not.toContain('approveDecision')
    expect(names).not.toContain('advanceSandboxClock')
  })

  it('describe what they do, require and measure', async () => {
    const { client } = await mcpClient(app)
    const { tools } = await client.listTools()
    const [create, list] = ['createLoan', 'listLoans'].map(n => tools.find(t => t.name === n)!)
    expect(create!.description).toContain('POST /loans')
    expect(create!.description).toContain('approved decision')
    expect(create!.inputSchema.required).toEqual(expect.arrayContaining(['body', 'decision_id']))
    const output = JSON.stringify(create!.inputSchema)
    for (const words of ['Integer cents', 'at most 45 days', '1 to 120', 'Europe/Paris']) {
      expect(output).toContain(words)
    }
    expect(create!.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(list!.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    expect(list!.inputSchema.properties).not.toHaveProperty('decision_id')
    const reads = tools.filter(t => /^(get|list)/.test(t.name) && !t.annotations?.readOnlyHint)
    expect(reads.map(tool => tool.name)).toEqual([])
    // A new client can find where each ID comes from.
    const undescribed = tools.flatMap(tool =>
      Object.entries(tool.inputSchema.properties as Record<string, { description?: string }>)
        .filter(([name, field]) => /(^|_)ids?$/.test(name) && !field.description)
        .map(([name]) => `${tool.name} ${name}`),
    )
    expect(undescribed).toEqual([])
    const plans = tools.find(tool => tool.name === 'createRecollectionInstallmentPlan')!
    expect(plans.inputSchema.properties).toMatchObject({
      recollection_case_id: {
        description: 'The id of a recollection case: listRecollectionCases answers it.',
      },
    })
    expect(tools.filter(tool => / {2}/.test(tool.description!)).map(tool => tool.name)).toEqual([])
    for (const tool of tools)
      expect([tool.name, tool.description!.length > 20]).toEqual([tool.name, true])
  })

  it("are those within the key's scopes", async () => {
    const { key } = await anotherCaller(app, { actor: 'agent', scopes: ['bills:read'] })
    const { client, call } = await mcpClient(app, key)
    const { tools } = await client.listTools()
    expect(tools.map(tool => tool.name)).toEqual(['listBills'])
    expect(await call('listLoans')).toMatchObject({
      isError: true,
      json: { code: 'scope_missing' },
    })
    const templates = (await client.listResourceTemplates()).resourceTemplates
    expect(templates.map(template => template.name)).toEqual(['document'])
  })

  it('read the same as HTTP, with lists, filters and cursors', async () => {
    const borrower = await readyBorrower(app)
    const loan = await requestLoan(app, borrower, { amount: 10_000 })
    await requestLoan(app, borrower, { amount: 20_000 })
    const { call } = await mcpClient(app)
    const { json } = await call('getLoan', { loan_id: loan.id })
    expect(json).toEqual(await app.agent.getLoan({ loan_id: loan.id }))
    const filters = { loan_type: ['WALLET_FINANCING', 'INVOICE_BASED_FINANCING'], page_size: 1 }
    const first = (await call('listLoans', filters)).json
    expect(first.count).toBe(1)
    const cursor = new URL(first.next_page, app.base_url).searchParams.get('cursor')
    const second = (await call('listLoans', { ...filters, cursor })).json
    expect([first, second].map(page => page.data[0].amount).sort()).toEqual([10_000, 20_000])
    const missing = await call('getLoan', { loan_id: randomUUID() })
    expect(missing).toMatchObject({ isError: true, json: { code: 'resource_unknown' } })
  })

  it('report every wrong argument, and allow no path traversal', async () => {
    const { call, client } = await mcpClient(app)
    const wrong = await call('getLoan', { id: 1 })
    const reasons = wrong.json.invalid_params.map((p: { name: string }) => p.name)
    expect([wrong.isError, wrong.json.code, reasons]).toEqual([
      true,
      'request_invalid',
      ['id', 'loan_id'],
    ])
    for (const loan_id of ['../keys', '..', `${randomUUID()}/events`, 'x?y=1', '%2e%2e']) {
      expect((await call('getLoan', { loan_id })).json.code).toMatch(/request_invalid|_unknown/)
    }
    const odd = { decision_id: [randomUUID()], idempotency_key: { a: 1 } }
    const reported = (await call('createKey', { ...odd, body })).json.invalid_params
    expect(reported.map((p: { name: string }) => p.name)).toEqual(Object.keys(odd))
    await expect(client.callTool({ name: 'noSuchTool' })).rejects.toThrow('no tool')
    await expect(client.callTool({ name: 'resetSandbox' })).rejects.toThrow('no tool')
  })
})

describe('writes', () => {
  it('need a decision approved by a person, and execute one of its steps', async () => {
    const { call } = await mcpClient(app)
    const without = await call('createKey', { body })
    expect(without).toMatchObject({ isError: true, json: { code: 'decision_required' } })
    const words = { title: 'A key', rationale: 'To read loans.' }
    const proposed = await call('proposeDecision', { body: { ...words, operations: [plan] } })
    const decision_id = proposed.json.id
    const early = await call('createKey', { decision_id, body })
    expect(early).toMatchObject({ isError: true, json: { code: 'decision_unapproved' } })
    await app.client.approveDecision({ decision_id })
    const wrong = await call('createKey', { decision_id, body: { ...body, name: 'x' } })
    expect(wrong.json.code).toBe('operation_unplanned')
    const sent = { decision_id, body, idempotency_key: randomUUID() }
    const done = await call('createKey', sent)
    expect(done).toMatchObject({ isError: false, json: { name: 'by a tool' } })
    expect((await call('createKey', sent)).json).toEqual(done.json)
    expect((await call('createKey', { decision_id, body })).json.code).toBe('step_executed')
    expect((await call('getDecision', { decision_id })).json.status).toBe('EXECUTED')
  })

  it('count as an agent’s whatever the key: even a person’s own key is gated here', async () => {
    const { call } = await mcpClient(app, app.key)
    expect((await call('createKey', { body })).json.code).toBe('decision_required')
    const own = await call('proposeDecision', {
      body: {
        title: 'Mine',
        rationale: 'Mine.',
        operations: [{ ...plan, body: { ...body, actor: 'human' } }],
      },
    })
    const colleague = await anotherCaller(app, { actor: 'human', scopes: null })
    await colleague.client.approveDecision({ decision_id: own.json.id })
    const handed = { decision_id: own.json.id, body: { ...body, actor: 'human' } }
    expect((await call('createKey', handed)).json.code).toBe('scope_missing')
  })

  it('contain nothing of another partner', async () => {
    const { id: decision_id } = await approvedDecision(app, [plan])
    const { call } = await mcpClient(app, app.second_key)
    expect((await call('getDecision', { decision_id })).json.code).toBe('resource_unknown')
    expect((await call('createKey', { decision_id, body })).json.code).toBe('decision_unknown')
    expect((await call('listDecisions')).json.data).toEqual([])
  })
})

describe('resources', () => {
  it('are the domain pages, the problems and the clock', async () => {
    const { client } = await mcpClient(app)
    const { resources } = await client.listResources()
    expect(resources.map(resource => resource.name)).toEqual([
      'concepts',
      'agents',
      'machines',
      'problems',
      'clock',
    ])
    for (const { uri, mimeType } of resources) {
      const { contents } = await client.readResource({ uri })
      const content = contents[0] as { text: string; mimeType: string }
      expect([content.mimeType, content.text.length > 40]).toEqual([mimeType, true])
    }
  })

  it('lead to documents and records only, whatever the address', async () => {
    const { client } = await mcpClient(app)
    const documents = `${app.base_url}/document`
    for (const uri of [
      ...['../keys', '..%2fkeys', '%2e%2e/metrics', 'x/../../keys', '', '.'].map(
        path => `${documents}/${path}`,
      ),
      `${app.base_url}/keys`,
      'headroom://loan/../keys',
      'headroom://loan/%2e%2e',
      'headroom://docs/../package',
      'headroom://docs/constructor',
      'file:///etc/passwd',
    ]) {
      await expect(client.readResource({ uri }), uri).rejects.toThrow('Nothing is at')
    }
  })

  it('are records by their address, and documents by the link in an answer', async () => {
    const borrower = await readyBorrower(app)
    const loan = await requestLoan(app, borrower, { amount: 30_000 })
    await app.drain()
    const { client, call } = await mcpClient(app)
    const [thing] = (await client.readResource({ uri: `headroom://loan/${loan.id}` })).contents
    expect(JSON.parse((thing as { text: string }).text)).toMatchObject({ id: loan.id })
    const body = { loan_ids: [loan.id] }
    const fetched = await call('fetchLoanDocuments', { document_type: 'contract', body })
    const uri = fetched.json.url ?? fetched.json.document_url ?? Object.values(fetched.json)[0]
    const [document] = (await client.readResource({ uri: String(uri) })).contents
    const bytes = Buffer.from((document as { blob: string }).blob, 'base64')
    expect(bytes.subarray(0, 2).toString()).toMatch(/^(%P|PK)$/)
    const elsewhere = ['headroom://docs/../../package.json', 'headroom://metrics', 'file:///etc/x']
    for (const uri of [...elsewhere, `headroom://loan/${randomUUID()}`, 'headroom://keys']) {
      await expect(client.readResource({ uri })).rejects.toThrow()
    }
  })
})

describe('long arguments', () => {
  it('are rejected before an address is built from them, and are not echoed', async () => {
    const { client, call } = await mcpClient(app)
    for (const [tool, name] of [
      ['getLoan', 'loan_id'],
      ['listLoans', 'cursor'],
    ] as const) {
      const { isError, json } = await call(tool, { [name]: '%'.repeat(4_000_000) })
      expect([isError, json.code, json.invalid_params[0].name]).toEqual([
        true,
        'request_invalid',
        name,
      ])
      expect(JSON.stringify(json).length).toBeLessThan(1_000)
    }
    const long = 'x'.repeat(1_000_000)
    await expect(client.callTool({ name: long })).rejects.toThrow(/^.{0,800}$/)
    const uri = `${app.base_url}/documents/${long}`
    await expect(client.readResource({ uri })).rejects.toThrow(/^.{0,800}$/)
    const message = { jsonrpc: '2.0', id: long, method: 'ping' }
    const answer = await fetch(`${app.base_url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.agent_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    expect(answer.status).toBe(422)
    expect((await answer.text()).length).toBeLessThan(1_000)
  })
})
