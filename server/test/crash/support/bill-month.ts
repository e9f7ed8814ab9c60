/** Runs the month-end billing of DATABASE_URL for a given day, in a process that can be killed. */
import { createLog, openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { generateBills } from '../../../src/credit/bills/index.ts'
import * as banks from '../../../src/integrations/adapters/index.ts'
import { readLenderFile } from '../../../src/integrations/lender/index.ts'
import { day } from '../../../src/platform/kit/dates.ts'

const config = readConfig(process.env, banks, readLenderFile)
const { context, close } = await openApp(config, createLog(config))
await generateBills(context.database, day(process.argv[2]!))
await close()
