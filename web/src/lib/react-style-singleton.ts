import { useEffect } from 'react'

/**
 * Stands in for the package `react-style-singleton` (see vite.config.ts), which Radix's scroll lock uses:
 * constructed style sheets are allowed under a Content-Security-Policy without 'unsafe-inline'.
 * The sheet is shared by all users of one singleton and removed with the last.
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

  // The package that this stands in for is called once per module, with this shape.
  return function Sheet({ styles }: { styles: string }) {
    useEffect(() => {
      add(styles)
      return remove
    }, [styles])
    return null
  }
}
