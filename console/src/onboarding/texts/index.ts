/** The onboarding page's texts, by language. */
import type { OnboardingPage } from '@headroom/contract'
import { createContext, useContext } from 'react'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { nl } from './nl.ts'

export type Language = OnboardingPage['language']

/** Makes a language with a missing text a compile error. */
export type Texts = { [K in keyof typeof en]: (typeof en)[K] }

export const TEXTS: Record<Language, Texts> = { fr, de, es, nl, en }

export const LANGUAGE_NAMES: Record<Language, string> = {
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  nl: 'Nederlands',
  en: 'English',
}

/** The visitor's preferred language, or English; used until the session has loaded. */
export function browserLanguage(): Language {
  const wanted = navigator.languages.map(tag => tag.slice(0, 2))
  return (wanted.find(tag => tag in TEXTS) as Language | undefined) ?? 'en'
}

export const LanguageContext = createContext<Language>('en')

export function useTexts(): Texts {
  return TEXTS[useContext(LanguageContext)]
}
