/** Whether an If-None-Match header names this entity tag. Weak tags match too: a proxy that compresses makes strong ones weak. */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  // Browsers send the one tag that they have.
  return header === etag || header.split(',').some((entry) => ['*', etag, `W/${etag}`].includes(entry.trim()))
}
