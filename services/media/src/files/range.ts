/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The range that a Range header asks for in a body of `size` bytes. Null when the whole is to be sent: no header, one
 * that is not understood, or several ranges at once. `unsatisfiable` when it lies beyond the end.
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
