/** A message's HTML runs no scripts, loads nothing and submits nothing, also when it is opened without the page around it. */
export const FRAME_POLICY = [
  `default-src 'none'`,
  `style-src 'unsafe-inline'`,
  'img-src data:',
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'self'`,
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')

/** The HTML with links that open in a tab of their own and tell nobody where they were clicked. */
export function frameDocument(html: string): string {
  return (
    html
      // Of two attributes with the same name the first one counts.
      .replaceAll(/<(a|area)(?=[\s/>])/gi, '<$1 target="_blank" rel="noreferrer noopener"')
      // The policy does not cover connections that a link element opens in advance.
      .replaceAll(/<link(?=[\s/>])/gi, '<x-link')
  )
}
