/** The lender's people review decisions of agents: they read what waits, approve it, reject it. */
import { expect, test } from 'vitest'
import { reviewForLender } from '../../src/partners/decisions/index.ts'
import { createOperator } from '../../src/platform/access/index.ts'
import { command } from '../support/command.ts'
import { decided, fire, told } from '../support/decisions.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import { testHouse } from '../support/house.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'
import { urlOf } from './databases.ts'

const [ADA, EVE] = ['ada@lender.example', 'eve@lender.example']

test('read and approved; nothing an agent writes passes for another line', async () => {
  const house = await testHouse({ work: false })
  await atDesk(house, async tx => {
    await createOperator(tx, { email: ADA })
    await createOperator(tx, { email: EVE, role: 'viewer' })
  })
  const env = { DATABASE_URL: urlOf(house.context.database.pool) }
  const desk = (email: string, ...words: string[]) => command(['desk', email, ...words], env)

  const { id } = await readyBorrower(house)
  const body = { metadata: { note: 'a\u202eb\n\tc\u{e0041}' } }
  const step = { method: 'PATCH' as const, path: `/borrower/${id}`, body }
  const decision = await decided(house, [step], { approve: false })
  const { stdout } = await desk(EVE, 'decisions')
  const [head, why, what, ...rest] = stdout.split('\n')
  expect(head).toMatch(new RegExp(`^${decision.id}\t".+"\t".+"\t.+Z\t"To do"$`))
  expect(why).toBe('\t"Because it has to be done."')
  const written = '{"metadata":{"note":"a\\u202eb\\n\\tc\\udb40\\udc41"}}'
  expect(what).toBe(`\t1\tPATCH\t"/borrower/${id}"\t${written}`)
  expect(rest).toEqual([''])

  const looked = await desk(EVE, 'approve-decision', decision.id, 'Yes')
  expect(looked).toMatchObject({ code: 1, stdout: '' })
  const headers = { 'x-decision-id': decision.id }
  expect(await told(fire(house, step, { headers }))).toBe('403 decision_unapproved')
  const approved = await desk(ADA, 'approve-decision', decision.id, 'Yes')
  expect(approved).toMatchObject({ code: 0, stdout: `${decision.id}\tAPPROVED\n` })

  const read = await house.agent.getDecision({ decision_id: decision.id })
  expect(read).toMatchObject({ status: 'APPROVED', comment: 'Yes' })
  expect(read.reviewer!.name).toBe(house.context.database.settings.lender.name)
  expect(JSON.stringify(read)).not.toContain('ada@')
  expect(await told(fire(house, step, { headers }))).toBe('200 done')
  expect((await house.verify()).findings).toEqual([])
})

test('rejected once, and nothing that is unknown', async () => {
  const house = await testHouse({ work: false })
  const by = await operatorOf(house)
  const { id } = await readyBorrower(house)
  const step = { method: 'PATCH' as const, path: `/borrower/${id}`, body: { metadata: {} } }
  const decision = await decided(house, [step], { approve: false })
  const reject = (decision_id: string) =>
    atDesk(house, tx => reviewForLender(tx, by, decision_id, { trigger: 'reject', comment: null }))
  expect(await reject(decision.id)).toMatchObject({ status: 'REJECTED', comment: null })
  await expect(reject(decision.id)).rejects.toMatchObject({ code: 'state_conflict' })
  for (const unknown of ['x', crypto.randomUUID()]) {
    await expect(reject(unknown)).rejects.toMatchObject({ code: 'resource_unknown' })
  }
  const late = house.client.approveDecision({ decision_id: decision.id })
  expect((await refusal(late)).code).toBe('state_conflict')
})
