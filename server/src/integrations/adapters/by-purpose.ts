/**
 * The adapters for every purpose but the bank, which `index.ts` lists, and whether a live
 * deployment may use them. Each is imported on demand: most processes need few of them, and no live
 * one loads a sandbox's.
 */
import type { SmtpSettings, StripeSettings } from '../../config.ts'
import type { Database } from '../../platform/db/transaction.ts'
import type { CardIssuer } from '../ports/card-issuer.ts'
import type { MailPort } from '../ports/mail.ts'
import type { Compliance, Registry } from '../ports/registry.ts'
import type { ReadOutcome } from './manual/compliance.ts'

/** What the adapters are opened with. */
export interface AdapterContext {
  readonly database: Database
  /** Aborted when the process shuts down. */
  readonly stopping: AbortSignal
  readonly stripe: StripeSettings | null
  readonly smtp: SmtpSettings | null
  /** The outcome of a company's file. */
  readonly outcomeOf: ReadOutcome
}

interface Adapter<Port> {
  readonly live: boolean
  readonly open: (adapterContext: AdapterContext) => Promise<Port>
}

const CARDS = {
  sandbox: {
    live: false,
    open: async ({ database }) =>
      (await import('./sandbox/card-issuer.ts')).sandboxCardIssuer({ database }),
  },
  stripe: {
    live: true,
    open: async ({ stripe }) => (await import('./stripe/card-issuer.ts')).stripeCardIssuer(stripe!),
  },
  none: { live: true, open: async () => (await import('./no-cards/card-issuer.ts')).noCards },
} satisfies Record<string, Adapter<CardIssuer>>

const MAIL = {
  sandbox: { live: false, open: async () => (await import('./sandbox/mail.ts')).sandboxMail() },
  smtp: {
    live: true,
    open: async ({ smtp, stopping }) => (await import('./smtp/mail.ts')).smtpMail(smtp!, stopping),
  },
} satisfies Record<string, Adapter<MailPort>>

const REGISTRY = {
  sandbox: {
    live: false,
    open: async ({ database }) =>
      (await import('./sandbox/registry.ts')).sandboxRegistry({ database }),
  },
  manual: { live: true, open: async () => (await import('./manual/registry.ts')).manualRegistry() },
} satisfies Record<string, Adapter<Registry>>

const SCREENING = {
  sandbox: {
    live: false,
    open: async ({ database }) =>
      (await import('./sandbox/compliance.ts')).sandboxCompliance({ database }),
  },
  manual: {
    live: true,
    open: async ({ outcomeOf }) =>
      (await import('./manual/compliance.ts')).manualCompliance(outcomeOf),
  },
} satisfies Record<string, Adapter<Compliance>>

export const ADAPTERS = {
  cards: CARDS,
  mail: MAIL,
  registry: REGISTRY,
  screening: SCREENING,
} as const

export type Purpose = keyof typeof ADAPTERS

/** The names of a purpose's adapters that a live deployment may use. */
export function liveAdapters(purpose: Purpose): string[] {
  const table: Record<string, Adapter<unknown>> = ADAPTERS[purpose]
  return Object.keys(table).filter(name => table[name]!.live)
}
