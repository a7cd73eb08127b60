import { commonPasswordProblem } from './common-passwords.ts'
import {
  confirmationProblem,
  emailProblem,
  nameProblem,
  passwordProblem,
  rejectProblems,
  trimToNull,
  usernameProblem,
} from './user-fields.ts'

/** The body of a registration. All fields are optional, so that each missing one gets its own sentence. */
export interface RegistrationForm {
  username?: string
  password?: string
  confirmPassword?: string
  email?: string | null
  firstName?: string | null
  lastName?: string | null
}

/** A valid registration; empty optional fields are null. */
export interface Registration {
  username: string
  password: string
  email: string | null
  firstName: string | null
  lastName: string | null
}

/**
 * Validates a registration form.
 * @throws 400 with a sentence for each invalid field.
 */
export function readRegistration(form: RegistrationForm): Registration {
  const registration = {
    username: (form.username ?? '').trim().normalize('NFC'),
    password: form.password ?? '',
    email: trimToNull(form.email),
    firstName: trimToNull(form.firstName),
    lastName: trimToNull(form.lastName),
  }
  rejectProblems({
    username: usernameProblem(registration.username),
    email: emailProblem(registration.email),
    firstName: nameProblem(registration.firstName, 'First name'),
    lastName: nameProblem(registration.lastName, 'Last name'),
    password:
      passwordProblem(registration.password) ?? commonPasswordProblem(registration.password, registration.username),
    confirmPassword: confirmationProblem(registration.password, form.confirmPassword ?? ''),
  })
  return registration
}
