import type { User } from '../../api/types.ts'
import { PasswordSection } from './password-section.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SessionsSection } from './sessions-section.tsx'

/** The first tab: the profile, and below it what protects the account. */
export function ProfileInformation({ user }: { user: User }) {
  return (
    <div className="grid max-w-2xl gap-10">
      <ProfileForm user={user} />
      <PasswordSection />
      <SessionsSection />
    </div>
  )
}
