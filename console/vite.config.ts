/** Builds the console and the onboarding page: one chunk per page, no external resources. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  AUDIT_KINDS,
  adminOperations,
  CHANGEABLE_OF_LOANS,
  COUNTRY_FACTS,
  DenialCode,
  EVENT_NAMES,
  LANGUAGES,
  LOAN_TYPES,
  machines,
  type Operation,
  operations,
  PARTNER_REPORT_NAMES,
  PAYMENT_METHODS,
  PAYMENT_TYPES,
  REPORT_ROWS_MAX,
  UNDECIDED_LOANS,
} from '@headroom/contract'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * The parts of the contract that the console needs: operation paths, state machines, and the codes
 * to choose from. The schemas stay out of the bundle.
 */
function contractPlugin(): Plugin {
  const id = 'virtual:contract'
  const all: Record<string, Pick<Operation, 'method' | 'path'>> = {
    ...operations,
    ...adminOperations,
  }
  const places = Object.fromEntries(
    Object.entries(all).map(([name, { method, path }]) => [name, [method, path]]),
  )
  const parts = Object.entries({
    places,
    machines,
    denialCodes: DenialCode.options,
    loanTypes: LOAN_TYPES,
    paymentTypes: PAYMENT_TYPES,
    paymentMethods: PAYMENT_METHODS,
    changeableOfLoans: CHANGEABLE_OF_LOANS,
    undecidedLoans: UNDECIDED_LOANS,
    eventNames: EVENT_NAMES,
    auditKinds: AUDIT_KINDS,
    reportRowsMax: REPORT_ROWS_MAX,
    partnerReports: PARTNER_REPORT_NAMES,
  })
  const code = parts.map(([name, part]) => `export const ${name} = ${JSON.stringify(part)}`)
  return {
    name: 'contract',
    resolveId: source => (source === id ? `\0${id}` : null),
    load: source => (source === `\0${id}` ? code.join('\n') : null),
  }
}

/** Countries and languages: a module small enough for the onboarding page. */
function countriesPlugin(): Plugin {
  const id = 'virtual:countries'
  const parts = Object.entries({ countryFacts: COUNTRY_FACTS, languages: LANGUAGES })
  const code = parts.map(([name, part]) => `export const ${name} = ${JSON.stringify(part)}`)
  return {
    name: 'countries',
    resolveId: source => (source === id ? `\0${id}` : null),
    load: source => (source === `\0${id}` ? code.join('\n') : null),
  }
}

/** The summary of every write that may need a decision, for the pages that show decisions. */
function writesPlugin(): Plugin {
  const id = 'virtual:writes'
  const gated = (Object.values(operations) as Operation[]).filter(operation => operation.gated)
  const writes = gated.map(({ method, path, summary }) => [method, path, summary])
  return {
    name: 'writes',
    resolveId: source => (source === id ? `\0${id}` : null),
    load: source =>
      source === `\0${id}` ? `export const writes = ${JSON.stringify(writes)}` : null,
  }
}

/**
 * Writes a compressed copy next to each script and style sheet, so that the server need not
 * compress them.
 */
function gzipPlugin(): Plugin {
  return {
    name: 'gzip',
    apply: 'build',
    writeBundle: async ({ dir }, bundle) => {
      const files = Object.keys(bundle).filter(name => /\.(js|css)$/.test(name))
      const zipped = files.map(async name => {
        const file = join(dir!, name)
        await writeFile(`${file}.gz`, await zip(await readFile(file), { level: 9 }))
      })
      await Promise.all(zipped)
    },
  }
}

const zip = promisify(gzip)

export default defineConfig({
  base: '/console/',
  plugins: [react(), contractPlugin(), countriesPlugin(), writesPlugin(), gzipPlugin()],
  build: {
    target: 'es2023',
    // No `data:` URLs, because the pages' content security policy allows scripts and styles only
    // from files.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { input: ['index.html', 'onboarding.html'] },
  },
})
