import type { User } from '../../api/types.ts'
import { DeleteAccountSection } from './delete-account-section.tsx'
import { ExportSection } from './export-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SessionsSection } from './sessions-section.tsx'

/** The first tab: the profile, below it what protects the account, and how to leave. */
export function ProfileInformation({ user }: { user: User }) {
  return (
    <div className="grid max-w-2xl gap-10">
      <ProfileForm user={user} />
      <PasswordSection />
      <SessionsSection />
      <ExportSection />
      <DeleteAccountSection user={user} />
    </div>
  )
}
