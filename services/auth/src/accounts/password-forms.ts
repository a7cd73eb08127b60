import { commonPasswordProblem } from './common-passwords.ts'
import { confirmationProblem, emailProblem, passwordProblem, rejectProblems } from './user-fields.ts'

// All fields of the forms are optional, so that each missing one gets its own sentence.

export interface PasswordChangeForm {
  currentPassword?: string
  newPassword?: string
  confirmPassword?: string
}

export interface PasswordChange {
  currentPassword: string
  newPassword: string
}

/** @throws 400 with a sentence for each invalid field */
export function readPasswordChange(form: PasswordChangeForm, username: string): PasswordChange {
  const { currentPassword = '', newPassword = '', confirmPassword = '' } = form
  rejectProblems({
    currentPassword: currentPassword === '' ? 'Current password is required' : null,
    newPassword: passwordProblem(newPassword) ?? commonPasswordProblem(newPassword, username),
    confirmPassword: confirmationProblem(newPassword, confirmPassword),
  })
  return { currentPassword, newPassword }
}

export interface PasswordResetForm {
  token?: string
  password?: string
  confirmPassword?: string
}

export interface PasswordReset {
  token: string
  password: string
}

/** Whether the password resembles the username is checked later: the token says whose it is. @throws 400 */
export function readPasswordReset({
  token = '',
  password = '',
  confirmPassword = '',
}: PasswordResetForm): PasswordReset {
  rejectProblems({
    password: passwordProblem(password) ?? commonPasswordProblem(password, ''),
    confirmPassword: confirmationProblem(password, confirmPassword),
  })
  return { token, password }
}

/** The address of a requested reset. @throws 400 */
export function readResetAddress({ email }: { email?: string | null }): string {
  const address = email?.trim() ?? ''
  rejectProblems({ email: address === '' ? 'Email is required' : emailProblem(address) })
  return address
}
