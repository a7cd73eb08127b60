import { newPassword, PASSWORDS_MATCH, passwordConfirmation, z } from '../../lib/forms.ts'

export const loginSchema = z.object({
  username: z.string().check(z.trim(), z.minLength(1, 'Username is required')),
  password: z.string().check(z.minLength(1, 'Password is required')),
  rememberMe: z.boolean(),
})
export type LoginValues = z.infer<typeof loginSchema>

/** Text that may be empty; an empty text is not sent. */
const optionalText = z.pipe(
  z.string().check(z.trim()),
  z.transform((text) => text || undefined),
)

export const registerSchema = z
  .object({
    username: z
      .string()
      .check(
        z.trim(),
        z.minLength(3, 'Username must be at least 3 characters'),
        z.maxLength(64, 'Username must be at most 64 characters'),
      ),
    firstName: optionalText,
    lastName: optionalText,
    email: z.pipe(optionalText, z.optional(z.email('Invalid email address'))),
    password: newPassword,
    confirmPassword: passwordConfirmation,
    terms: z.boolean().check(z.refine((agreed) => agreed, 'You must agree to the terms and conditions')),
  })
  .check(z.refine(({ password, confirmPassword }) => password === confirmPassword, PASSWORDS_MATCH))
/** What the user types. */
export type RegisterInput = z.input<typeof registerSchema>
/** What is sent, after validation. */
export type RegisterValues = z.output<typeof registerSchema>
