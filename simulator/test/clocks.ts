/** A simulated process in which 250 ms pass: prints how far each clock has moved. */
import '../deterministic/runtime.ts'
import { passTime } from '../deterministic/clock.ts'

const before = { date: Date.now(), performance: performance.now() }
passTime(250)
const moved = {
  date: Date.now() - before.date,
  performance: performance.now() - before.performance,
}
console.log(JSON.stringify(moved))
