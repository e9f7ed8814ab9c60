/** The stories that are told together: files of this folder whose partners do not meet. */
import { tellTogether } from '../support/calendar.ts'

tellTogether('2027-01-11', new URL('.', import.meta.url))
