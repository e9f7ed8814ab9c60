/** Types for the part of `negotiator` that we use, because the package has none. */
declare module 'negotiator' {
  import type { IncomingHttpHeaders } from 'node:http'
  export default class Negotiator {
    constructor(request: { readonly headers: IncomingHttpHeaders })
    /** The type in `available` that the Accept header prefers; the first one among equals. */
    mediaType(available: readonly string[]): string | undefined
  }
}
