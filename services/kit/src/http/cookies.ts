/** The value of a cookie in a Cookie header, or null. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (!header?.includes(name)) return null
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim() || null
  }
  return null
}

/** The Cookie header without one cookie; undefined when nothing is left. */
export function withoutCookie(header: string | undefined, name: string): string | undefined {
  if (!header?.includes(name)) return header
  const kept = header.split(';').filter((pair) => pair.split('=', 1)[0]?.trim() !== name)
  return kept.join(';').trim() || undefined
}
