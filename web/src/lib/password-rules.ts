import { z } from './zod.ts'

/** A password that the user chooses. The server also rejects common ones. */
export const newPassword = z.string().check(z.minLength(6, 'Password must be at least 6 characters'))

/** The chosen password, typed again. */
export const passwordConfirmation = z.string().check(z.minLength(1, 'Please confirm your password'))

/** For the `refine` that compares both: the message belongs to `confirmPassword`, which shows only one. */
export const PASSWORDS_MATCH = {
  message: 'Passwords do not match',
  path: ['confirmPassword'],
  when: ({ issues }: { issues: { path?: PropertyKey[] }[] }) =>
    !issues.some(({ path }) => path?.[0] === 'confirmPassword'),
}
