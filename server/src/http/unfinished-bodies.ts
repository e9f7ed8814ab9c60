/**
 * Bodies that have begun to arrive and have not ended: each owner's fill a bounded part of memory,
 * however slowly they are sent. Large ones have room of their own (`large-bodies.ts`).
 */
import type { FastifyRequest } from 'fastify'
import { Tally } from '../kit/tally.ts'
import { ownerOf } from './owner.ts'

const MB = 1024 * 1024
const unfinished = new Tally({ each: 32 * MB, all: 128 * MB })
const TOO_MUCH =
  'Too many request bodies have begun and not ended. Finish some, then send this request again.'

export class UnfinishedBody {
  readonly #owner: string
  #bytes = 0

  constructor(request: FastifyRequest) {
    this.#owner = ownerOf(request)
  }

  /** Throws `not_ready` when its owner has too much of this kind already. */
  add(piece: Buffer): void {
    unfinished.refuseIfFull(this.#owner, TOO_MUCH)
    unfinished.add(this.#owner, piece.length)
    this.#bytes += piece.length
  }

  /** Once it has ended, was given up, or has room of its own. */
  end(): void {
    unfinished.remove(this.#owner, this.#bytes)
    this.#bytes = 0
  }
}
