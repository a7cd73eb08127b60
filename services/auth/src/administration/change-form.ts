import { emailProblem, nameProblem, rejectProblems, trimToNull } from '../accounts/user-fields.ts'

/** The body of an administrator's change: absent fields stay as they are. */
export interface ChangeForm {
  firstName?: string | null
  lastName?: string | null
  email?: string | null
  isAdmin?: boolean
  disabled?: boolean
  /** Bytes; null: the installation's default. */
  quota?: number | null
}

/** A valid change; empty texts are null. */
export interface UserChanges extends Omit<ChangeForm, 'quota'> {
  quota?: bigint | null
}

/** @throws 400 with a sentence for each invalid field */
export function readChanges({ firstName, lastName, email, quota, ...rest }: ChangeForm): UserChanges {
  const changes = {
    ...(firstName !== undefined && { firstName: trimToNull(firstName) }),
    ...(lastName !== undefined && { lastName: trimToNull(lastName) }),
    ...(email !== undefined && { email: trimToNull(email) }),
    ...(quota !== undefined && { quota: quota === null ? null : BigInt(quota) }),
    ...rest,
  }
  rejectProblems({
    firstName: nameProblem(changes.firstName ?? null, 'First name'),
    lastName: nameProblem(changes.lastName ?? null, 'Last name'),
    email: emailProblem(changes.email ?? null),
  })
  return changes
}
