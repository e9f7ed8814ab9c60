/**
 * kill -9 of the server while it executes steps: a step's effect is stored if and only if the step
 * is marked as executed.
 */
import { createClient } from '@headroom/sdk'
import { expect, test } from 'vitest'
import { onLinux } from '../embedded/support/index.ts'
import { seededFolder } from '../support/seeded-folder.ts'
import { freePort, headroom, startService } from '../support/service.ts'

const KILLS = 4
const STEPS = 40

test.skipIf(!onLinux)(
  `${KILLS} kills between effect and mark leave none without the other`,
  async () => {
    const { folder, remove } = await seededFolder()
    const port = await freePort()
    for (let turn = 0; turn < KILLS; turn++) {
      const service = await startService(folder, port)
      const { base_url, credentials } = service
      const person = createClient({ base_url, key: credentials.partner_key })
      const agent = createClient({ base_url, key: credentials.agent_key })
      const names = Array.from({ length: STEPS }, (_, at) => `turn ${turn} step ${at}`)
      const operations = names.map(name => ({
        method: 'POST' as const,
        path: '/keys',
        body: { name, actor: 'agent', scopes: ['loans:read'] },
      }))
      const { id } = await agent.proposeDecision({ title: 'Keys', rationale: 'Many.', operations })
      await person.approveDecision({ decision_id: id })
      const answered: string[] = []
      const fire = async () => {
        for (const { path, body } of operations) {
          const sent = await fetch(`${base_url}${path}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${credentials.agent_key}`,
              'x-decision-id': id,
              'content-type': 'application/json',
            },
            body: JSON.stringify(body),
          })
          if (sent.status === 201) answered.push(body.name)
          else throw new Error(`${sent.status}`)
          // Kills the server during the next step.
          if (answered.length === 5 + turn * 7) void service.kill()
        }
      }
      await expect(fire()).rejects.toThrow()
      await service.kill().catch(() => {})
      const again = await startService(folder, port)
      const reader = createClient({ base_url, key: again.credentials.partner_key })
      const decision = await reader.getDecision({ decision_id: id })
      const { data } = await reader.listKeys({ page_size: 500 })
      const made = new Set(data.map(key => key.name))
      const marked = decision.operations
        .filter(step => step.status === 'EXECUTED')
        .map(step => (step.body as { name: string }).name)
      expect(marked).toEqual(names.filter(name => made.has(name)))
      for (const name of answered) expect(marked).toContain(name)
      // Execution resumes at the first unfinished step.
      const next = operations[marked.length]!
      const sent = await fetch(`${base_url}${next.path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${credentials.agent_key}`,
          'x-decision-id': id,
          'content-type': 'application/json',
        },
        body: JSON.stringify(next.body),
      })
      expect(sent.status).toBe(201)
      await again.kill()
    }
    const { code, stdout } = await headroom(['verify'], { HEADROOM_DATA: folder })
    expect([code, stdout]).toEqual([0, expect.any(String)])
    await remove()
  },
  300_000,
)
