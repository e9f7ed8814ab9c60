/** The sending thread: makes each attempt and returns its result. */
import { workInBackground } from '../../platform/kit/background.ts'
import { serveTasks } from '../../platform/kit/thread.ts'
import { type Post, send } from './send.ts'

workInBackground()
serveTasks(({ to_url, headers, body, policy, timeout_ms }: Post) =>
  send(to_url, headers, body, { policy, timeout_ms }),
)
