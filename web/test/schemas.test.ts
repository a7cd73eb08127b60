import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { loginSchema, registerSchema } from '../src/features/auth/schemas.ts'

const valid = {
  username: 'pilot',
  firstName: '',
  lastName: '',
  email: '',
  password: 'secret1',
  confirmPassword: 'secret1',
  terms: true,
}

function problems(schema: z.ZodType, values: unknown): Record<string, string> {
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
