/** Settings are checked at startup, and each fault is reported with its remedy. */
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import * as banks from '../../src/integrations/adapters/index.ts'

const read = (env: NodeJS.ProcessEnv) => readConfig(env, banks)

test('every wrong setting is reported', () => {
  const wrong = {
    PORT: 'abc',
    HEADROOM_MODE: 'dead',
    HEADROOM_RATE_LIMIT: '-1',
    HEADROOM_BASE_URL: 'lending.example',
    HEADROOM_LOG: 'loud',
    HEADROOM_TRUSTED_PROXIES: '10.0.0.0/8 proxy',
    HEADROOM_PRIVATE_WEBHOOKS: 'yes',
    HEADROOM_BANK: 'goldmine',
    STRIPE_API_BASE: 'ftp://stripe.example',
  }
  for (const name of Object.keys(wrong)) {
    expect(() => read({ HEADROOM_CARDS: 'stripe', ...wrong })).toThrow(name)
  }
  expect(() => read(wrong)).toThrow('not proxy')
})

test.each(['https://a.example?x', 'https://a.example/#', 'https://u@a.example', 'mailto:a@b'])(
  'documents cannot be reached behind %s',
  base => {
    expect(() => read({ HEADROOM_BASE_URL: base })).toThrow('HEADROOM_BASE_URL is an address')
  },
)

test('an empty setting counts as unset, and an address may end with a slash', () => {
  const empty = { PORT: '', HEADROOM_MODE: '', HEADROOM_LOG: '', HEADROOM_TRUSTED_PROXIES: '' }
  expect(read({ ...empty, HEADROOM_BASE_URL: '' })).toEqual(read({}))
  const given = read({
    HEADROOM_BASE_URL: 'https://lending.example/',
    HEADROOM_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
  })
  expect(given.base_url).toBe('https://lending.example')
  expect(given.trusted_proxies).toEqual(['10.0.0.0/8', '::1'])
})
