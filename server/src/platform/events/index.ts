/**
 * Events tell partners what happened. `move` records status changes automatically and `recordEvent`
 * the rest. Just before the commit, `recordEvents` writes them, each with the resource as its GET
 * returns it, so an event is neither lost nor sent for a change that was rolled back.
 */
export { lastShown } from './last-shown.ts'
export {
  type EventDates,
  type EventViews,
  insertEvents,
  recordEvent,
  recordEvents,
  recordFigures,
  recordUpdate,
  setEventView,
} from './record.ts'
