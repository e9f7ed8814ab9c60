/** Writes what is generated: the OpenAPI document, the machines' page, the database's row types. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventTypes, operations } from '../contract/src/index.ts'
import { openapi } from '../contract/src/openapi.ts'
import { machinesPage } from './machines-page.ts'
import { writeSchemaTypes } from './schema-types.ts'

const target = new URL('../contract/openapi.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(openapi(operations, eventTypes), null, 2)}\n`)

writeFileSync(new URL('../docs/machines.md', import.meta.url), machinesPage())

const schema = new URL('../server/src/db/schema.ts', import.meta.url)
await writeSchemaTypes(fileURLToPath(schema))
