import { newPassword, PASSWORDS_MATCH, passwordConfirmation, z } from '../../lib/forms.ts'

/** What a request that cannot be undone asks for. */
export const ownPasswordSchema = z.object({ password: z.string().check(z.minLength(1, 'Password is required')) })
export type OwnPasswordValues = z.infer<typeof ownPasswordSchema>

/** Where to send a link for a new password. */
export const resetRequestSchema = z.object({
  email: z.pipe(z.string().check(z.trim(), z.minLength(1, 'Email is required')), z.email('Invalid email address')),
})
export type ResetRequestValues = z.infer<typeof resetRequestSchema>

export const resetSchema = z
  .object({ password: newPassword, confirmPassword: passwordConfirmation })
  .check(z.refine(({ password, confirmPassword }) => password === confirmPassword, PASSWORDS_MATCH))
export type ResetValues = z.infer<typeof resetSchema>

export const passwordChangeSchema = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Current password is required')),
    newPassword,
    confirmPassword: passwordConfirmation,
  })
  .check(z.refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, PASSWORDS_MATCH))
export type PasswordChangeValues = z.infer<typeof passwordChangeSchema>
