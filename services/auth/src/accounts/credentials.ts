import { invalidFields } from '@skyfolio/kit'

/** The body of a login. */
export interface LoginForm {
  username?: string
  password?: string
}

/** @throws 400 with a sentence for each missing field. */
export function readCredentials({ username = '', password = '' }: LoginForm): Required<LoginForm> {
  const fields: Record<string, string> = {}
  if (username.trim() === '') fields.username = 'Username is required'
  if (password === '') fields.password = 'Password is required'
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  return { username, password }
}
