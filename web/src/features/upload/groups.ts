/** Splits the chosen files into requests of at most `size` files each, in the order of choice. */
export function groupFiles<T>(files: readonly T[], size: number): T[][] {
  const groups: T[][] = []
  for (let start = 0; start < files.length; start += size) groups.push(files.slice(start, start + size))
  return groups
}

/** What of an upload has left the browser; requests are counted from 1, bytes are those of the files. */
export interface SendProgress {
  request: number
  requests: number
  requestFraction: number
  sentBytes: number
  totalBytes: number
}

/**
 * Progress over all requests while the request at `index` has sent `loaded` of `total` body bytes.
 * A body is longer than its files (form fields, boundaries), so its fraction is applied to the files' bytes.
 */
export function sendProgress(
  groupBytes: readonly number[],
  index: number,
  loaded: number,
  total: number,
): SendProgress {
  const fraction = total > 0 ? Math.min(loaded / total, 1) : 0
  const before = groupBytes.slice(0, index).reduce((sum, bytes) => sum + bytes, 0)
  return {
    request: index + 1,
    requests: groupBytes.length,
    requestFraction: fraction,
    sentBytes: Math.round(before + fraction * (groupBytes[index] ?? 0)),
    totalBytes: groupBytes.reduce((sum, bytes) => sum + bytes, 0),
  }
}

/** The whole per cent that a screen reader is told: steps of 25, so that it is not flooded. */
export function announcedPercent(progress: SendProgress): number {
  if (progress.totalBytes === 0) return 0
  return Math.floor((progress.sentBytes / progress.totalBytes) * 4) * 25
}
