/** The words of the page in the five languages in which borrowers read. */
import type { OnboardingPage } from '@headroom/contract'
import { createContext, useContext } from 'react'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { nl } from './nl.ts'

export type Language = OnboardingPage['language']

/** A language that lacks a text does not compile. */
export type Texts = { [K in keyof typeof en]: (typeof en)[K] }

export const TEXTS: Record<Language, Texts> = { fr, de, es, nl, en }

export const LANGUAGE_NAMES: Record<Language, string> = {
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  nl: 'Nederlands',
  en: 'English',
}

/** What the browser speaks, where no session says what the visitor speaks. */
export function browserLanguage(): Language {
  const wanted = navigator.languages.map(tag => tag.slice(0, 2))
  return (wanted.find(tag => tag in TEXTS) as Language | undefined) ?? 'en'
}

export const LanguageContext = createContext<Language>('en')

export function useTexts(): Texts {
  return TEXTS[useContext(LanguageContext)]
}
