/** Where one is who goes by keys: taken along to new pages, and not lost where things go away. */
import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

type Main = RefObject<HTMLElement | null>

/** Who goes by keys or reads with a screen reader is where a new page begins, not in the menu. */
export function useTakenAlong(main: Main): void {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname, main])
}

/**
 * A button that works is disabled until it has worked, and takes the focus back then; what goes
 * away leaves it to the dialog or the page that it was on. Who points has left by the pointer.
 */
export function useKeptFocus(main: Main): void {
  useEffect(() => {
    let last: HTMLElement | null = null
    const note = ({ target }: FocusEvent) => {
      last = target as HTMLElement
    }
    const forget = () => {
      last = null
    }
    const look = () => {
      if (!last || document.activeElement !== document.body) return
      const around = document.querySelector<HTMLElement>('[role=dialog]') ?? main.current
      const next = last.isConnected ? last : around
      next?.focus({ preventScroll: true })
    }
    document.addEventListener('focusin', note)
    document.addEventListener('pointerdown', forget)
    const observer = new MutationObserver(look)
    const changes = { childList: true, attributes: true, attributeFilter: ['disabled'] }
    observer.observe(document.body, { subtree: true, ...changes })
    return () => {
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', forget)
      observer.disconnect()
    }
  }, [main])
}
