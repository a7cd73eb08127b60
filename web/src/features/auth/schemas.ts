import { z } from 'zod'
import { newPassword, PASSWORDS_MATCH, passwordConfirmation } from '../../lib/password-rules.ts'

export const loginSchema = z.object({
  username: z.string().trim().min(1, 'Username is required'),
  password: z.string().min(1, 'Password is required'),
  rememberMe: z.boolean(),
})
export type LoginValues = z.infer<typeof loginSchema>

/** Text that may be empty; an empty text is not sent. */
const optionalText = z
  .string()
  .trim()
  .transform((text) => text || undefined)

export const registerSchema = z
  .object({
    username: z
      .string()
      .trim()
      .min(3, 'Username must be at least 3 characters')
      .max(64, 'Username must be at most 64 characters'),
    firstName: optionalText,
    lastName: optionalText,
    email: optionalText.pipe(z.email('Invalid email address').optional()),
    password: newPassword,
    confirmPassword: passwordConfirmation,
    terms: z.boolean().refine((agreed) => agreed, 'You must agree to the terms and conditions'),
  })
  .refine(({ password, confirmPassword }) => password === confirmPassword, PASSWORDS_MATCH)
/** What the user types. */
export type RegisterInput = z.input<typeof registerSchema>
/** What is sent, after validation. */
export type RegisterValues = z.output<typeof registerSchema>
