/** The hosted onboarding page, where a company becomes a borrower. */
import './style.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Onboarding } from './onboarding.tsx'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Onboarding />
  </StrictMode>,
)
