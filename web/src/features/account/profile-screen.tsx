import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { DeleteAccountSection } from './delete-account-section.tsx'
import { ExportSection } from './export-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { AccountStatistics } from './statistics-tab.tsx'

const TABS = [
  { value: 'information', label: 'Profile Information' },
  { value: 'statistics', label: 'Account Statistics' },
] as const
const FIRST_TAB = TABS[0].value

/** The user's own account. `?tab=` names the open tab. */
export function ProfileScreen() {
  const [search, setSearch] = useSearchParams()
  const user = useLastUser()
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? FIRST_TAB
  return (
    <>
      <h1 className="mb-4 text-2xl font-bold sm:text-3xl">Profile</h1>
      <Tabs
        label="Profile"
        value={tab}
        onValueChange={(next) =>
          setSearch(next === FIRST_TAB ? {} : { tab: next }, { replace: true, preventScrollReset: true })
        }
        tabs={[...TABS]}
      >
        <TabPanel value="information">
          {user && (
            <div className="grid max-w-2xl gap-10">
              <ProfileForm user={user} />
              <PasswordSection />
              <SessionsSection />
              <ExportSection />
              <DeleteAccountSection user={user} />
            </div>
          )}
        </TabPanel>
        <TabPanel value="statistics">
          <AccountStatistics />
        </TabPanel>
      </Tabs>
    </>
  )
}

/** The signed-in user. When the session ends while the screen is open, the form and its edits stay. */
function useLastUser(): User | null {
  const { data: user } = useQuery({
    ...userQuery,
    // The address may have been confirmed in the tab that the mail's link opened.
    refetchOnWindowFocus: ({ state }) => (state.data?.email && !state.data.emailConfirmed ? 'always' : false),
  })
  const last = useRef<User | null>(null)
  if (user) last.current = user
  return last.current
}
