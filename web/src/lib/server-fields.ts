import type { FieldValues, Path, UseFormSetError } from 'react-hook-form'
import { ApiError } from './http.ts'

/** Shows the server's messages at their fields and focuses the first of these fields. */
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
