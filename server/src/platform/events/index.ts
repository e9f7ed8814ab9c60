/**
 * Events: what happened, told to partners. `move` notes a change of status by itself and `note`
 * the rest; just before the commit `recordEvents` writes them, each with the resource as its GET
 * answers it, so no event can be lost and none can tell of what was rolled back.
 */
export { type EventViews, insertEvents, note, recordEvents, tellAsRead } from './record.ts'
