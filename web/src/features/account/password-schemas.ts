import { z } from 'zod'
import { newPassword, PASSWORDS_MATCH, passwordConfirmation } from '../../lib/password-rules.ts'

/** What a request that cannot be undone asks for. */
export const ownPasswordSchema = z.object({ password: z.string().min(1, 'Password is required') })
export type OwnPasswordValues = z.infer<typeof ownPasswordSchema>

/** Where to send a link for a new password. */
export const resetRequestSchema = z.object({
  email: z.string().trim().min(1, 'Email is required').pipe(z.email('Invalid email address')),
})
export type ResetRequestValues = z.infer<typeof resetRequestSchema>

export const resetSchema = z
  .object({ password: newPassword, confirmPassword: passwordConfirmation })
  .refine(({ password, confirmPassword }) => password === confirmPassword, PASSWORDS_MATCH)
export type ResetValues = z.infer<typeof resetSchema>

export const passwordChangeSchema = z
  .object({
    currentPassword: z.string().min(1, 'Current password is required'),
    newPassword,
    confirmPassword: passwordConfirmation,
  })
  .refine(({ newPassword, confirmPassword }) => newPassword === confirmPassword, PASSWORDS_MATCH)
export type PasswordChangeValues = z.infer<typeof passwordChangeSchema>
