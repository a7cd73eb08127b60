import { useEffect } from 'react'

/** Names the screen in the browser's tab; without a name it is the product's alone. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Skyfolio` : 'Skyfolio'
  }, [title])
}
