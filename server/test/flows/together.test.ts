/** Runs all story files of this folder on one server, each file with its own partners. */
import { runStories } from '../support/calendar.ts'

runStories('2027-01-11', new URL('.', import.meta.url))
