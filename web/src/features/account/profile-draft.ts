import type { ProfileChanges } from '../../api/account.ts'
import type { User } from '../../api/types.ts'
import { z } from '../../lib/forms.ts'
import { createStore } from '../../lib/store.ts'

export interface ProfileValues {
  firstName: string
  lastName: string
  displayName: string
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
  return {
    firstName: user.firstName ?? '',
    lastName: user.lastName ?? '',
    displayName: user.displayName ?? '',
    email: user.email ?? '',
    publicByDefault: user.publicByDefault,
    emailNotifications: user.emailNotifications,
    ...editsOf(user, draft),
  }
}

export function editProfile(user: User, edits: Partial<ProfileValues>): void {
  profileDraft.set({ userId: user.id, edits: { ...editsOf(user, profileDraft.get()), ...edits } })
}

/** Never those of another user. */
function editsOf(user: User, draft: Draft | null): Partial<ProfileValues> {
  return draft?.userId === user.id ? draft.edits : {}
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
  const before = sentOf(valuesOf(user, null))
  const edited = Object.entries(sentOf(values))
  return Object.fromEntries(edited.filter(([name, value]) => before[name as ProfileField] !== value))
}

function sentOf({ firstName, lastName, displayName, email, ...preferences }: ProfileValues): Required<ProfileChanges> {
  return {
    firstName: firstName.trim() || null,
    lastName: lastName.trim() || null,
    displayName: displayName.trim() || null,
    email: email.trim() || null,
    ...preferences,
  }
}

export function hasEdits(user: User | null | undefined, draft: Draft | null): boolean {
  return user ? Object.keys(changesOf(user, valuesOf(user, draft))).length > 0 : false
}

const email = z.email()

/** What is wrong with the form, by field. */
export function validateProfile(values: ProfileValues): FieldErrors {
  const address = values.email.trim()
  return address === '' || email.safeParse(address).success ? {} : { email: 'Invalid email address' }
}
