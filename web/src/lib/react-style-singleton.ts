import { useEffect } from 'react'

/**
 * Replaces the package `react-style-singleton` (see vite.config.ts), which Radix's scroll lock uses: a
 * Content-Security-Policy without 'unsafe-inline' allows constructed style sheets. All users of one singleton share its
 * sheet; it is removed with the last one.
 */
export function styleSingleton() {
  let users = 0
  let sheet: CSSStyleSheet | null = null

  function add(styles: string): void {
    users += 1
    if (sheet) return
    sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    document.adoptedStyleSheets.push(sheet)
  }

  function remove(): void {
    users -= 1
    if (users > 0) return
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet)
    sheet = null
  }

  // The replaced package is called once per module, with this signature.
  return function Sheet({ styles }: { styles: string }) {
    useEffect(() => {
      add(styles)
      return remove
    }, [styles])
    return null
  }
}
