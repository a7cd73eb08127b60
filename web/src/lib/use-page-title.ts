import { useEffect } from 'react'

/** Sets the browser tab's title; without a title it is the product's name alone. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Skyfolio` : 'Skyfolio'
  }, [title])
}
