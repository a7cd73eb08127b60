import { ProfileScreen } from '../features/account/profile-screen.tsx'
import { usePageTitle } from '../lib/routing.ts'

/** The user's own account. */
export default function ProfilePage() {
  usePageTitle('Profile')
  return (
    <div className="gutters mx-auto max-w-[960px] pt-7">
      <ProfileScreen />
    </div>
  )
}
