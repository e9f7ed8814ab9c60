/** Settings are checked at startup, and each fault is reported with its remedy. */
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import * as banks from '../../src/integrations/adapters/index.ts'
import { readLenderFile } from '../../src/integrations/lender/index.ts'

const read = (env: NodeJS.ProcessEnv) => readConfig(env, banks, readLenderFile)

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

const SMTP = {
  HEADROOM_MAIL: 'smtp',
  SMTP_HOST: 'smtp.lender.example',
  SMTP_USER: 'lender',
  SMTP_PASSWORD: 'p',
  SMTP_FROM_ADDRESS: 'billing@lender.example',
  SMTP_FROM_NAME: 'Lender',
}

test('mail stays in the sandbox by default; SMTP uses TLS with a login', () => {
  expect(read({}).smtp).toBeNull()
  expect(read(SMTP).smtp).toEqual({
    host: 'smtp.lender.example',
    port: 465,
    security: 'tls',
    login: { user: 'lender', password: 'p' },
    sender: { address: 'billing@lender.example', name: 'Lender' },
  })
  expect(read({ ...SMTP, SMTP_SECURITY: 'starttls' }).smtp).toMatchObject({ port: 587 })
  const local = { ...SMTP, SMTP_SECURITY: 'none', SMTP_USER: '', SMTP_PASSWORD: '' }
  for (const SMTP_HOST of ['localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect(read({ ...local, SMTP_HOST }).smtp).toMatchObject({ port: 25, login: null })
  }
})

test('every fault in the settings for mail is reported at once', () => {
  const needed = Object.keys(SMTP).filter(name => name.startsWith('SMTP_'))
  for (const name of needed) {
    expect(() => read({ HEADROOM_MAIL: 'smtp' })).toThrow(`${name} is needed`)
  }
  const wrong = {
    SMTP_HOST: 'smtp://lender.example',
    SMTP_PORT: '0',
    SMTP_SECURITY: 'ssl',
    SMTP_FROM_ADDRESS: 'Lender <billing@lender.example>',
  }
  for (const name of Object.keys(wrong)) expect(() => read({ ...SMTP, ...wrong })).toThrow(name)
  expect(() => read({ HEADROOM_MAIL: 'pigeon' })).toThrow('HEADROOM_MAIL is one of: sandbox, smtp')
  const address = { SMTP_FROM_ADDRESS: 'post@müller.example' }
  expect(() => read({ ...SMTP, ...address })).toThrow('SMTP_FROM_ADDRESS is an ASCII address')
  const remote = { ...SMTP, SMTP_SECURITY: 'none' }
  for (const SMTP_HOST of ['smtp.lender.example', '10.0.0.1', 'localhost.evil.example']) {
    expect(() => read({ ...remote, SMTP_HOST })).toThrow('SMTP_SECURITY none')
  }
  const local = { ...remote, SMTP_HOST: 'localhost', SMTP_PASSWORD: '' }
  expect(() => read(local)).toThrow('SMTP_PASSWORD is needed')
})
