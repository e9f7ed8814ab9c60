/** Stories that run together: files of this folder whose partners are independent. */
import { tellTogether } from '../support/calendar.ts'

tellTogether('2027-01-11', new URL('.', import.meta.url))
