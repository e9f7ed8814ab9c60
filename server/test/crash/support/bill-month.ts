/** Runs the month-end billing of DATABASE_URL for a given day, in a process that can be killed. */
import { readConfig } from '../../../src/config.ts'
import { generateBills } from '../../../src/credit/bills/index.ts'
import { createLog, openHouse } from '../../../src/house.ts'
import * as banks from '../../../src/outside/adapters/index.ts'
import { day } from '../../../src/platform/kit/dates.ts'

const config = readConfig(process.env, banks)
const { context, close } = await openHouse(config, createLog(config))
await generateBills(context.database, day(process.argv[2]!))
await close()
