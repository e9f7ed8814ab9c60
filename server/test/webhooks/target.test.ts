/** Which webhook targets are refused, by their URLs and by the addresses behind their names. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  guardedLookup,
  isAllowedAddress,
  TargetRefused,
  targetFault,
  targetPolicy,
} from '../../src/partners/webhooks/target.ts'

const live = targetPolicy({ mode: 'live', allow_private_webhooks: false })
const sandbox = targetPolicy({ mode: 'sandbox', allow_private_webhooks: false })
const open = targetPolicy({ mode: 'live', allow_private_webhooks: true })

const PUBLIC = ['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700::1111']
const LOOPBACK = ['127.0.0.1', '127.255.1.2', '::1']
const PRIVATE = ['10.0.0.1', '172.16.0.1', '172.31.9.9', '192.168.1.1', '100.64.0.1', 'fd00::1']
const NEVER = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '203.0.113.9',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:1.1.1.1',
  '::127.0.0.1',
  '::a00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001::7f00:1',
  '2001:db8::1',
  '100::1',
  '5f00::1',
  'not an address',
]

const toAddress = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 }) as const

describe('addresses', () => {
  const allowed = (addresses: string[], policy = live) =>
    addresses.filter(a => isAllowedAddress(a, policy))

  test('live accepts only public ones', () => {
    expect(allowed(PUBLIC)).toEqual(PUBLIC)
    expect(allowed([...LOOPBACK, ...PRIVATE, ...NEVER])).toEqual([])
  })

  test('a sandbox also accepts the loopback', () => {
    expect(allowed([...PUBLIC, ...LOOPBACK], sandbox)).toEqual([...PUBLIC, ...LOOPBACK])
    expect(allowed([...PRIVATE, ...NEVER], sandbox)).toEqual([])
  })

  test('private networks are accepted if the operator allows them, link-local never', () => {
    const known = [...PUBLIC, ...LOOPBACK, ...PRIVATE]
    expect(allowed(known, open)).toEqual(known)
    expect(allowed(NEVER, open)).toEqual([])
  })

  test('no IPv4 address gets through in an IPv6 form', () => {
    fc.assert(
      fc.property(fc.ipV4(), ip => {
        const hex = ip.split('.').map(n => Number(n).toString(16).padStart(2, '0'))
        const tail = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`
        const forms = [`::ffff:${ip}`, `::${tail}`, `64:ff9b::${tail}`, `2002:${tail}::1`]
        expect(forms.filter(form => isAllowedAddress(form, live))).toEqual([])
      }),
    )
  })
})

describe('URLs', () => {
  const faults = (urls: string[], policy = live) => urls.map(url => targetFault(url, policy))

  test('https to a public host is accepted', () => {
    expect(faults(['https://example.com/hooks?x=1', 'https://1.1.1.1:8443/'])).toEqual([null, null])
  })

  test('http is for a sandbox only', () => {
    expect(faults(['http://example.com/', 'ftp://example.com/'])).toEqual(
      Array(2).fill('must begin with https://'),
    )
    expect(targetFault('http://example.com/', sandbox)).toBeNull()
    expect(targetFault('file:///etc/passwd', sandbox)).toBe('must begin with https://')
    expect(targetFault('nonsense', sandbox)).toBe('is not an address')
  })

  test('credentials are refused', () => {
    expect(faults(['https://user@example.com/', 'https://:secret@example.com/'])).toEqual(
      Array(2).fill('must not carry a user name or password'),
    )
  })

  test('a private host is refused, however it is spelled', () => {
    const spelled = [
      'https://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f.0.0.1/',
      'https://0177.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[0:0:0:0:0:ffff:7f00:1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://localhost/',
      'https://LOCALHOST./',
      'https://a.localhost/',
      'https://169.254.169.254/latest/meta-data',
      'https://１２７.0.0.1/',
    ]
    expect(faults(spelled)).toEqual(spelled.map(() => 'must not point into a private network'))
    expect(targetFault('http://localhost:4001/hook', sandbox)).toBeNull()
    expect(targetFault('http://192.168.0.1/', sandbox)).toMatch('private')
  })
})

describe('the lookup of a connection', () => {
  const look = (answers: string[], policy = live) => {
    const { signal } = new AbortController()
    return new Promise((fulfil, reject) => {
      const lookup = guardedLookup(policy, signal, async () => answers.map(toAddress))
      lookup('hooks.example', { all: true }, (error, found) =>
        error ? reject(error) : fulfil(found),
      )
    })
  }

  test('returns public addresses', async () => {
    await expect(look(['1.1.1.1'])).resolves.toEqual([{ address: '1.1.1.1', family: 4 }])
  })

  test('rejects a name with even one private address', async () => {
    await expect(look(['1.1.1.1', '10.0.0.1'])).rejects.toBeInstanceOf(TargetRefused)
    await expect(look(['::1'])).rejects.toBeInstanceOf(TargetRefused)
    await expect(look(['::1'], sandbox)).resolves.toEqual([{ address: '::1', family: 6 }])
    await expect(look([])).rejects.toThrow('no address')
  })
})
