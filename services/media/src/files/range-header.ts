/** Bytes `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header for a body of `size` bytes. Returns null when the whole body is to be sent: no header, an
 * unknown syntax, or several ranges. Returns `unsatisfiable` when the range begins beyond the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = header?.match(/^bytes=(\d*)-(\d*)$/i) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
