import type { FieldValues, Path, UseFormSetError } from 'react-hook-form'
import { ApiError } from '../../lib/http.ts'

/** Puts the server's sentences at the fields that they are about, and the focus on the first of them. */
export function showServerFields<T extends FieldValues>(
  error: unknown,
  fields: readonly Path<T>[],
  setError: UseFormSetError<T>,
): void {
  const sentences = (error instanceof ApiError && error.body?.fields) || {}
  const wrong = fields.filter((field) => sentences[field])
  for (const [position, field] of wrong.entries()) {
    setError(field, { type: 'server', message: sentences[field] }, { shouldFocus: position === 0 })
  }
}
