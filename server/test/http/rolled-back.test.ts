/** A request whose transaction is rolled back on every attempt gets a 503 with `Retry-After`. */
import { expect, test } from 'vitest'
import { buildHttpServer } from '../../src/entrypoints/http/server.ts'
import { handlers } from '../../src/handlers.ts'
import { testApp } from '../support/app.ts'
import { closeAfterwards } from '../support/closing.ts'

const app = await testApp({ work: false })

test.each(['40001', '40P01'])(
  'after %s on every attempt: 503, and nothing is stored',
  async code => {
    let attempts = 0
    const contended = await buildHttpServer(app.context, {
      ...handlers,
      createWebhook: async tx => {
        attempts++
        await tx.raw(`do $$ begin raise 'contended' using errcode = '${code}'; end $$`)
        throw new Error('the statement before fails')
      },
    })
    closeAfterwards(() => contended.close())
    const answer = await contended.inject({
      method: 'POST',
      url: '/webhooks',
      headers: { authorization: `Bearer ${app.key}` },
      payload: { name: 'Shop', to_url: `${app.base_url}/hook`, event_types: ['Loan.TO_REPAY'] },
    })
    expect(answer.json()).toMatchObject({ status: 503, code: 'not_ready' })
    expect(answer.headers['retry-after']).toBe('2')
    expect(attempts).toBe(3)
  },
)
