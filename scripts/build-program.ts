/** Bundles a program into a folder. Use: node build-program.ts <service|life> <folder> */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import type { Program } from './program.ts'

const SOURCES: Record<Program, string> = {
  service: 'server/src/main.ts',
  life: 'simulator/deterministic/run-seed.ts',
}

const [, , name, outDir] = process.argv

/**
 * Keeps `import.meta.url` pointing to the source file, because migrations, threads, fonts and docs
 * are found relative to it.
 */
const atItsPlace: Plugin = {
  name: 'at-its-place',
  enforce: 'pre',
  transform: (code, id) =>
    code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
}

await build({
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  plugins: [atItsPlace],
  // Native addons cannot be bundled, nor what loads them.
  ssr: { noExternal: true, external: ['@node-rs/argon2', 'pg-native', 'ssh2-sftp-client'] },
  build: {
    ssr: SOURCES[name as Program],
    outDir: outDir!,
    emptyOutDir: true,
    target: 'node24',
    rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
  },
})
