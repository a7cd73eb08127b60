import type { FieldValues, Path, UseFormSetError } from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError } from './http.ts'

// Otherwise zod tries `new Function`, which our Content-Security-Policy forbids and browsers report.
z.config({ jitless: true })

export { z }

/** A password that the user chooses, in the form in which the server compares passwords. The server also rejects common ones. */
export const newPassword = z
  .string()
  .check(z.normalize('NFKC'), z.minLength(6, 'Password must be at least 6 characters'))

/** The chosen password, typed again. */
export const passwordConfirmation = z
  .string()
  .check(z.normalize('NFKC'), z.minLength(1, 'Please confirm your password'))

/** For the `refine` that compares both: the message belongs to `confirmPassword`, which shows only one. */
export const PASSWORDS_MATCH = {
  message: 'Passwords do not match',
  path: ['confirmPassword'],
  when: ({ issues }: { issues: { path?: PropertyKey[] }[] }) =>
    !issues.some(({ path }) => path?.[0] === 'confirmPassword'),
}

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
