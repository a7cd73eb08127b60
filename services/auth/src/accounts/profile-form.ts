import { emailProblem, nameProblem, rejectProblems, trimToNull } from './user-fields.ts'

/** The body of a change of the profile: absent fields stay as they are. */
export interface ProfileForm {
  firstName?: string | null
  lastName?: string | null
  email?: string | null
  publicByDefault?: boolean
  emailNotifications?: boolean
}

/** A valid change; empty texts are null. */
export type ProfileChanges = ProfileForm

/** @throws 400 with a sentence for each invalid field */
export function readProfile({ firstName, lastName, email, ...preferences }: ProfileForm): ProfileChanges {
  const changes = {
    ...(firstName !== undefined && { firstName: trimToNull(firstName) }),
    ...(lastName !== undefined && { lastName: trimToNull(lastName) }),
    ...(email !== undefined && { email: trimToNull(email) }),
    ...preferences,
  }
  rejectProblems({
    firstName: nameProblem(changes.firstName ?? null, 'First name'),
    lastName: nameProblem(changes.lastName ?? null, 'Last name'),
    email: emailProblem(changes.email ?? null),
  })
  return changes
}
