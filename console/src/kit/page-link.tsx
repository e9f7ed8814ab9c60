/**
 * A link cheap enough for a thousand per page: it builds its URL itself and uses the router only on
 * hover, focus and click.
 */
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { writePageQuery } from './page-query.ts'

interface Props {
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string>>
  readonly children: ReactNode
}

export function PageLink({ to, params, search, children }: Props) {
  const router = useRouter()
  const path = to.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params![name]!))
  const place = { to: to as '/', params: params as never, search: search as never }
  const preload = () => void router.preloadRoute(place)
  const go = (event: MouseEvent) => {
    if (!isPlain(event)) return
    event.preventDefault()
    void router.navigate(place)
  }
  return (
    <a
      className="page-link mantine-focus-auto"
      href={router.basepath + path + writePageQuery(search ?? {})}
      onClick={go}
      onMouseEnter={preload}
      onFocus={preload}
    >
      {children}
    </a>
  )
}

/** Whether it is a primary click without modifiers. The browser handles other clicks itself. */
function isPlain({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey
}
