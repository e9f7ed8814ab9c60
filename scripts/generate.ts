/** Writes what is generated: contract/openapi.json and the row types of the database. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventTypes, operations } from '../contract/src/index.ts'
import { openapi } from '../contract/src/openapi.ts'
import { writeSchemaTypes } from './schema-types.ts'

const target = new URL('../contract/openapi.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(openapi(operations, eventTypes), null, 2)}\n`)

const schema = new URL('../server/src/db/schema.ts', import.meta.url)
await writeSchemaTypes(fileURLToPath(schema))
