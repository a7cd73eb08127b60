import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { resetRequestSchema, resetSchema } from '../src/features/account/password-reset-screens.tsx'
import { passwordChangeSchema } from '../src/features/account/password-section.tsx'
import { loginSchema } from '../src/features/auth/login-form.tsx'
import { registerSchema } from '../src/features/auth/register-form.tsx'

const valid = {
  username: 'pilot',
  firstName: '',
  lastName: '',
  email: '',
  password: 'secret1',
  confirmPassword: 'secret1',
  terms: true,
}

function problems(schema: z.ZodMiniType, values: unknown): Record<string, string> {
  const result = schema.safeParse(values)
  const issues = result.success ? [] : result.error.issues
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}

describe('registration', () => {
  test('leaves empty optional fields out', () => {
    const { firstName, lastName, email } = registerSchema.parse(valid)
    expect([firstName, lastName, email]).toEqual([undefined, undefined, undefined])
  })

  test('reports every error at its field', () => {
    const values = { ...valid, username: 'ab', email: 'x', password: '12345', confirmPassword: '', terms: false }
    expect(problems(registerSchema, values)).toEqual({
      username: 'Username must be at least 3 characters',
      email: 'Invalid email address',
      password: 'Password must be at least 6 characters',
      confirmPassword: 'Please confirm your password',
      terms: 'You must agree to the terms and conditions',
    })
  })

  test('reports mismatching passwords at the confirmation, also beside other errors', () => {
    const values = { ...valid, username: 'ab', confirmPassword: 'other' }
    expect(problems(registerSchema, values)).toMatchObject({
      username: 'Username must be at least 3 characters',
      confirmPassword: 'Passwords do not match',
    })
  })
})

describe('login', () => {
  test('requires both fields', () => {
    expect(problems(loginSchema, { username: ' ', password: '', rememberMe: true })).toEqual({
      username: 'Username is required',
      password: 'Password is required',
    })
  })
})

describe('a new password', () => {
  test('is typed twice in the same way', () => {
    const messages = { confirmPassword: 'Passwords do not match' }
    expect(problems(resetSchema, { password: 'secret1', confirmPassword: 'secret2' })).toEqual(messages)
    const change = { currentPassword: 'old', newPassword: 'secret1', confirmPassword: 'secret2' }
    expect(problems(passwordChangeSchema, change)).toEqual(messages)
  })

  test('is the same in each form of its characters', () => {
    const form = { password: 'caf\u00e9-1', confirmPassword: 'cafe\u0301-1' }
    expect(problems(resetSchema, form)).toEqual({})
    expect(problems(resetSchema, { ...form, password: 'e\u0301e\u0301e\u0301' })).toMatchObject({
      password: 'Password must be at least 6 characters',
    })
  })

  test('needs the current password and at least 6 characters', () => {
    const change = { currentPassword: '', newPassword: '12345', confirmPassword: '' }
    expect(problems(passwordChangeSchema, change)).toEqual({
      currentPassword: 'Current password is required',
      newPassword: 'Password must be at least 6 characters',
      confirmPassword: 'Please confirm your password',
    })
  })

  test('is requested for a trimmed address', () => {
    expect(resetRequestSchema.parse({ email: ' pilot@example.test ' })).toEqual({ email: 'pilot@example.test' })
    expect(problems(resetRequestSchema, { email: ' ' })).toEqual({ email: 'Email is required' })
    expect(problems(resetRequestSchema, { email: 'pilot' })).toEqual({ email: 'Invalid email address' })
  })
})
