import type { ProfileChanges } from '../../api/account.ts'
import type { User } from '../../api/types.ts'
import { z } from '../../lib/forms.ts'
import { createStore } from '../../lib/store.ts'

/** The content of the profile form. */
export interface ProfileValues {
  firstName: string
  lastName: string
  email: string
  publicByDefault: boolean
  emailNotifications: boolean
}
export type ProfileField = keyof ProfileValues
export type FieldErrors = Partial<Record<string, string>>

interface Draft {
  userId: number
  edits: Partial<ProfileValues>
}

/** What the user typed and has not saved. It is kept outside the screen, so that it survives leaving it. */
export const profileDraft = createStore<Draft | null>(null)

/** The form's content for this user: the account with the unsaved edits. */
export function valuesOf(user: User, draft: Draft | null): ProfileValues {
  const { firstName, lastName, email, publicByDefault, emailNotifications } = user
  return {
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    email: email ?? '',
    publicByDefault,
    emailNotifications,
    ...(draft?.userId === user.id ? draft.edits : {}),
  }
}

/** Keeps an edit. */
export function editProfile(user: User, edits: Partial<ProfileValues>): void {
  const draft = profileDraft.get()
  profileDraft.set({ userId: user.id, edits: { ...(draft?.userId === user.id ? draft.edits : {}), ...edits } })
}

/** Discards the edits; of saved ones only those that were not made again meanwhile. */
export function discardEdits(saved?: ProfileValues): void {
  const draft = profileDraft.get()
  const later = Object.entries((saved && draft?.edits) ?? {}).filter(
    ([name, value]) => saved?.[name as ProfileField] !== value,
  )
  profileDraft.set(draft && later.length > 0 ? { ...draft, edits: Object.fromEntries(later) } : null)
}

/** What has to be sent: only what differs from the account, so that another browser's change of the rest stays. */
export function changesOf(user: User, values: ProfileValues): ProfileChanges {
  const edited: Required<ProfileChanges> = {
    firstName: values.firstName.trim() || null,
    lastName: values.lastName.trim() || null,
    email: values.email.trim() || null,
    publicByDefault: values.publicByDefault,
    emailNotifications: values.emailNotifications,
  }
  const before = {
    ...user,
    firstName: user.firstName || null,
    lastName: user.lastName || null,
    email: user.email || null,
  }
  return Object.fromEntries(
    Object.entries(edited).filter(([name, value]) => before[name as ProfileField] !== value),
  ) as ProfileChanges
}

/** True when the user has edits that are not saved. */
export function hasEdits(user: User | null | undefined, draft: Draft | null): boolean {
  return Boolean(user) && Object.keys(changesOf(user as User, valuesOf(user as User, draft))).length > 0
}

const email = z.email()

/** What is wrong with the form, by field. */
export function validateProfile(values: ProfileValues): FieldErrors {
  const address = values.email.trim()
  return address === '' || email.safeParse(address).success ? {} : { email: 'Invalid email address' }
}
