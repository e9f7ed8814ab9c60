/**
 * Decides which connection is closed for a new one when too many are open. The activity of
 * connections counts first, across all networks, and then the number of a network's connections
 * with the same activity. Pure.
 */

export type Activity =
  /** Has not sent the complete headers of a request yet. */
  | 'silent'
  /** Is between two requests, and no known caller has sent one yet. */
  | 'idle'
  /** Runs a request without a valid key, session or cookie of a known browser. */
  | 'anonymous'
  /** Runs a request with a key or cookie that is being looked up. */
  | 'claimed'
  /** Is between two requests, and a known caller has sent one. */
  | 'caller_idle'
  /** Runs a known caller's request. Such a connection is not closed for another. */
  | 'caller'

export interface Place {
  readonly network: string
  /** Changed only by `Places`. */
  activity: Activity
}

export interface PlaceLimits {
  /** Maximum number of open connections: all, and those of one network. */
  readonly open_max: number
  readonly network_max: number
}

/**
 * The share of places reserved for new connections. With fewer, a connection that just opened would
 * be closed for the next one before its request arrives.
 */
const SILENT_SHARE = 1 / 4
const CLOSED_IN_ORDER = ['idle', 'anonymous', 'silent', 'claimed', 'caller_idle'] as const

/**
 * The share of places above which a network counts as a crowd, whose connections are closed first.
 * A client that opens only a few connections stays below it.
 */
const CROWD_SHARE = 1 / 32

export class Places<P extends Place> {
  readonly #limits: PlaceLimits
  readonly #queues: Readonly<Record<Activity, Queue<P>>>

  constructor(limits: PlaceLimits) {
    this.#limits = limits
    const crowd = Math.max(1, Math.floor(limits.open_max * CROWD_SHARE))
    this.#queues = {
      silent: new Queue(crowd),
      idle: new Queue(crowd),
      anonymous: new Queue(crowd),
      claimed: new Queue(crowd),
      caller_idle: new Queue(crowd),
      caller: new Queue(crowd),
    }
  }

  /**
   * Adds a connection and returns the one to close for it: the new one itself if no other may be
   * closed, or null if there is room.
   */
  take(added: P): P | null {
    const closed = this.#toClose(added)
    if (closed) this.leave(closed)
    if (closed !== added) this.#queues[added.activity].add(added)
    return closed
  }

  change(place: P, activity: Activity): void {
    if (place.activity === activity || !this.#queues[place.activity].delete(place)) return
    place.activity = activity
    this.#queues[activity].add(place)
  }

  leave(place: P): void {
    this.#queues[place.activity].delete(place)
  }

  #toClose(added: P): P | null {
    const { open_max, network_max } = this.#limits
    if (this.#count(added.network) >= network_max) {
      return this.#first(network_max, added.network) ?? added
    }
    return this.#count() >= open_max ? (this.#first(open_max) ?? added) : null
  }

  #count(network?: string): number {
    return Object.values(this.#queues).reduce((sum, queue) => sum + queue.size(network), 0)
  }

  /** The first connection to close, of all or of one network; `max` is the limit reached. */
  #first(max: number, network?: string): P | undefined {
    const { silent } = this.#queues
    if (silent.size(network) > max * SILENT_SHARE) return silent.first(network)
    const activity = CLOSED_IN_ORDER.find(each => this.#queues[each].size(network) > 0)
    return activity && this.#queues[activity].first(network)
  }
}

/** Connections with the same activity, in the order in which they began it. */
class Queue<P extends Place> {
  readonly #crowd: number
  readonly #all = new Set<P>()
  readonly #networks = new Map<string, Set<P>>()
  /** The networks with more than `crowd` connections. `CROWD_SHARE` keeps their number low. */
  readonly #crowds = new Set<Set<P>>()

  constructor(crowd: number) {
    this.#crowd = crowd
  }

  size(network?: string): number {
    return this.#of(network)?.size ?? 0
  }

  /** The first connection of the network, or else of the largest crowd, or else of all. */
  first(network?: string): P | undefined {
    let among = this.#of(network)
    if (network === undefined) {
      let size = 0
      for (const crowd of this.#crowds) {
        if (crowd.size <= size) continue
        among = crowd
        size = crowd.size
      }
    }
    return among?.values().next().value
  }

  add(place: P): void {
    this.#all.add(place)
    const same = this.#networks.get(place.network) ?? new Set()
    this.#networks.set(place.network, same.add(place))
    if (same.size > this.#crowd) this.#crowds.add(same)
  }

  delete(place: P): boolean {
    const same = this.#networks.get(place.network)
    if (!same || !this.#all.delete(place)) return false
    same.delete(place)
    if (same.size <= this.#crowd) this.#crowds.delete(same)
    if (same.size === 0) this.#networks.delete(place.network)
    return true
  }

  #of(network?: string): Set<P> | undefined {
    return network === undefined ? this.#all : this.#networks.get(network)
  }
}
