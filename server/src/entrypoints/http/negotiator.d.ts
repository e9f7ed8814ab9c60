/** What is used of `negotiator`, which brings no types. */
declare module 'negotiator' {
  import type { IncomingHttpHeaders } from 'node:http'
  export default class Negotiator {
    constructor(request: { readonly headers: IncomingHttpHeaders })
    /** The one of `available` that the Accept header prefers; the first one among equals. */
    mediaType(available: readonly string[]): string | undefined
  }
}
