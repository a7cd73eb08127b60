import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'

interface WizardEntry {
  printWizard?: true
}

/**
 * Gives the wizard a history entry of its own, so that the browser's back button belongs to it: `onBack` returns false
 * when the wizard has closed. Returns a function that removes the entry after the wizard has closed otherwise.
 */
export function useBackButton(onBack: () => boolean): () => void {
  const navigate = useNavigate()
  const { state, pathname, search, key } = useLocation()
  const isOwn = (state as WizardEntry | null)?.printWizard === true
  const entered = useRef(isOwn)

  const arrive = useEffectEvent(() => {
    if (isOwn) {
      entered.current = true
      return
    }
    if (entered.current && !onBack()) return
    entered.current = true
    navigate(
      { pathname, search },
      { state: { ...(state as object | null), printWizard: true }, preventScrollReset: true },
    )
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each history entry is an arrival
  useEffect(() => arrive(), [key])

  return () => {
    if (isOwn) navigate(-1)
  }
}
