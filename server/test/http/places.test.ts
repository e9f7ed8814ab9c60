/** Which connection is closed for a new one. */
import { describe, expect, it } from 'vitest'
import { type Activity, type Place, Places } from '../../src/entrypoints/http/places.ts'

/**
 * A quarter of the places, 16, is reserved for silent connections. More than two connections of a
 * network with the same activity count as a crowd.
 */
const LIMITS = { open_max: 64, network_max: 32 }

interface Numbered extends Place {
  /** Tells connections of one network apart. */
  readonly number: number
}

let networks = 0
const newNetwork = () => `network ${++networks}`

function setUp() {
  const places = new Places<Numbered>(LIMITS)
  const closed: Numbered[] = []
  let number = 0
  const open = (activity: Activity = 'silent', network = newNetwork()): Numbered => {
    const place: Numbered = { network, activity: 'silent', number: ++number }
    const loser = places.take(place)
    if (loser) closed.push(loser)
    if (loser !== place) places.change(place, activity)
    return place
  }
  const openMany = (count: number, activity?: Activity, network?: string) =>
    Array.from({ length: count }, () => open(activity, network))
  return { places, closed, open, openMany }
}

describe('a new connection when all places are taken', () => {
  it('replaces a silent one, whatever else the networks of the others do', () => {
    const { closed, openMany, open } = setUp()
    const partner = newNetwork()
    const busy = (['idle', 'anonymous', 'claimed', 'caller_idle', 'caller'] as const).map(each =>
      open(each, partner),
    )
    const silent = openMany(59)
    const more = openMany(200)
    expect(closed).toEqual([...silent, ...more].slice(0, 200))
    expect(closed.filter(each => busy.includes(each))).toEqual([])
  })

  it('replaces them in order, down to requests of callers, and then is closed itself', () => {
    const { closed, open, openMany } = setUp()
    openMany(57, 'caller')
    const order = (['caller_idle', 'claimed', 'silent', 'anonymous', 'idle'] as const).map(each =>
      open(each),
    )
    openMany(2, 'caller')
    for (const next of order.reverse()) {
      open('caller')
      expect(closed.at(-1)).toBe(next)
    }
    expect(closed).toHaveLength(5)
    const tooMany = open()
    expect(closed.at(-1)).toBe(tooMany)
  })

  it('stays for as long as a quarter of the places turn over, however busy the rest is', () => {
    for (const rest of ['idle', 'anonymous', 'silent'] as const) {
      const { closed, open, openMany } = setUp()
      openMany(64, rest)
      openMany(100)
      const network = newNetwork()
      const honest = [open('silent', network), open('silent', network)]
      openMany(14)
      expect(honest.filter(each => closed.includes(each))).toEqual([])
    }
  })

  it('replaces one of the network that has the most of the same kind, once it is a crowd', () => {
    const { closed, open, openMany } = setUp()
    const older = openMany(10)
    const small = openMany(20, 'silent', newNetwork())
    const large = openMany(31, 'silent', newNetwork())
    openMany(3)
    openMany(11)
    expect(closed).toEqual(large.slice(0, 11))
    openMany(36)
    expect(closed.filter(each => small.includes(each))).toHaveLength(18)
    expect(closed.filter(each => large.includes(each))).toHaveLength(29)
    open()
    expect(closed.slice(47)).toEqual([older[0]])
  })

  it('replaces the one that has been idle longest, not the one opened first', () => {
    const { places, closed, open, openMany } = setUp()
    const [first, second] = [open('idle'), open('idle')]
    openMany(62, 'caller')
    places.change(first, 'anonymous')
    places.change(first, 'idle')
    open()
    expect(closed).toEqual([second])
  })
})

describe('a network with its share of connections', () => {
  it('closes one of its own for each new one, in the same order', () => {
    const { closed, open, openMany } = setUp()
    const network = newNetwork()
    const others = openMany(10)
    openMany(30, 'caller', network)
    const [idle, silent] = [open('idle', network), open('silent', network)]
    open('caller', network)
    open('caller', network)
    expect(closed).toEqual([idle, silent])
    const tooMany = open('silent', network)
    expect(closed.at(-1)).toBe(tooMany)
    expect(closed).toHaveLength(3)
    expect(closed.filter(each => others.includes(each))).toEqual([])
  })

  it('keeps a quarter of its places for silent connections', () => {
    const { closed, openMany } = setUp()
    const network = newNetwork()
    const running = openMany(32, 'anonymous', network)
    const silent = openMany(40, 'silent', network)
    expect(closed).toEqual([...running.slice(0, 9), ...silent.slice(0, 31)])
  })
})

it('a closed connection frees its place once', () => {
  const { places, closed, open, openMany } = setUp()
  const all = openMany(64, 'caller')
  for (const _ of [1, 2]) places.leave(all[0]!)
  places.change(all[0]!, 'idle')
  open('caller')
  expect(closed).toEqual([])
  const tooMany = open()
  expect(closed).toEqual([tooMany])
})
