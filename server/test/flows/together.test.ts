/** Stories that run together: files of this folder whose partners are independent. */
import { runStories } from '../support/calendar.ts'

runStories('2027-01-11', new URL('.', import.meta.url))
