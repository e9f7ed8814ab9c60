/** Moves the keyboard focus to new pages, and restores it when the focused element loses it. */
import { useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

type Main = RefObject<HTMLElement | null>

/** Moves the focus from the menu to the start of a new page, for keyboards and screen readers. */
export function useFocusOnNavigation(main: Main): void {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname, main])
}

/**
 * Restores a lost focus: to the same element if it was only disabled for a while, otherwise to the
 * open dialog or the page. A pointer press suspends this until the next focus.
 */
export function useFocusRestore(main: Main): void {
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
