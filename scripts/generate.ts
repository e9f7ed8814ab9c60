/** Writes the files that are generated from the contract, the database and the DOM library. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventTypes, operations } from '../contract/src/index.ts'
import { openapi } from '../contract/src/openapi.ts'
import { consoleLint } from './browser-globals.ts'
import { machinesPage } from './machines-page.ts'
import { writeSchemaTypes } from './schema-types.ts'

const target = new URL('../contract/openapi.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(openapi(operations, eventTypes), null, 2)}\n`)

writeFileSync(new URL('../docs/machines.md', import.meta.url), machinesPage())

writeFileSync(new URL('../console/src/biome.json', import.meta.url), consoleLint())

const schema = new URL('../server/src/platform/db/schema.ts', import.meta.url)
await writeSchemaTypes(fileURLToPath(schema))
