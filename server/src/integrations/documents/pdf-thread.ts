/** The rendering thread: receives documents one by one and returns their bytes. */
import { workInBackground } from '../../platform/kit/background.ts'
import { serveTasks } from '../../platform/kit/thread.ts'
import { renderPdf } from './pdf.ts'

workInBackground()
serveTasks(renderPdf)
