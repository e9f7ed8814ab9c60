/** The service's connection to the embedded server, never through another user's folder. */
import { join } from 'node:path'
import { TurnSocket } from '../turn-socket.ts'
import { NoConnectionError } from '../unavailable.ts'
import { type Layout, port, requireSocketFolder } from './layout.ts'

export class ServerSocket extends TurnSocket {
  readonly #layout: Layout
  readonly #isFull: () => boolean

  /** @param isFull whether a full disk keeps the server from starting */
  constructor(layout: Layout, isFull: () => boolean) {
    super()
    this.#layout = layout
    this.#isFull = isFull
  }

  /** Connects to where the server listens now. The driver knows only where it listened before. */
  override connect(): this {
    if (this.#isFull()) {
      const message = 'the database is not started: there is no space left on its disk'
      return this.destroy(new NoConnectionError('full', message))
    }
    try {
      const folder = requireSocketFolder(this.#layout).socket_folder
      // Runs before the driver sends anything: the folder may have been replaced in between.
      this.once('connect', () => this.#check(folder))
      return super.connect({ path: join(folder, `.s.PGSQL.${port}`) })
    } catch (error) {
      return this.destroy(error as Error)
    }
  }

  #check(folder: string): void {
    try {
      if (requireSocketFolder(this.#layout).socket_folder === folder) return
      this.destroy(new Error(`the database moved from ${folder} during the connection`))
    } catch (error) {
      this.destroy(error as Error)
    }
  }
}
