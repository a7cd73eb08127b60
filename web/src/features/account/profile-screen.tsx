import { useQuery } from '@tanstack/react-query'
import { Download, Images, type LucideIcon, Printer, RotateCcw } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { configQuery, userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { usePageTitle } from '../../lib/routing.ts'
import { finalitySentence } from './deletion-texts.ts'
import { EXPORT_ANCHOR, ExportSection } from './export-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { ProfileForm } from './profile-form.tsx'
import { Section } from './section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { AccountStatistics } from './statistics-tab.tsx'

const DeleteAccountDialog = lazyComponent(
  () => import('./delete-account-dialog.tsx').then((code) => code.DeleteAccountDialog),
  { afterFirstScreen: true },
)

const TABS = [
  { value: 'information', label: 'Profile Information' },
  { value: 'statistics', label: 'Account Statistics' },
] as const
const FIRST_TAB = TABS[0].value

/** Both end at the same height. */
const COLUMN = 'flex flex-col gap-6 *:last:grow'

/** The user's own account. `?tab=` names the open tab. */
export default function ProfileScreen() {
  usePageTitle('Profile')
  const [search, setSearch] = useSearchParams()
  const user = useLastUser()
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? FIRST_TAB
  return (
    <div className="page pt-7">
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
            <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
              <div className={COLUMN}>
                <ProfileForm user={user} />
                <PasswordSection />
              </div>
              <div className={COLUMN}>
                <ExportSection />
                <DeleteAccountSection user={user} />
                {/* Last: its height is known only when the devices are, and moves nothing that somebody is about to press. */}
                <SessionsSection />
              </div>
            </div>
          )}
        </TabPanel>
        <TabPanel value="statistics">
          <AccountStatistics />
        </TabPanel>
      </Tabs>
    </div>
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

/** How to leave: what is deleted, when it is final, and the dialog that requests it. */
function DeleteAccountSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false)
  const { data: config } = useQuery(configQuery)
  return (
    <Section title="Delete account" description="Deletes your account and everything in it." danger>
      <ul className="grid gap-3">
        <Point Icon={Images} title="What is deleted">
          All photos with their originals, folders and their links, rankings and the votes they received, print orders,
          your profile and settings. You are logged out everywhere, and your public folders disappear at once.
        </Point>
        <Point Icon={RotateCcw} title="When it is final">
          {config && finalitySentence(config.accounts.deletionDays)}
        </Point>
        <Point Icon={Printer} title="Print orders">
          An order that the store has is not cancelled: pick it up and pay there as usual. Its images are kept until the
          store has fetched them.
        </Point>
        <Point Icon={Download} title="Keep a copy">
          <a href={`#${EXPORT_ANCHOR}`} className="font-medium text-accent underline">
            Export your data
          </a>{' '}
          first: once the deletion is final, there is no copy to get back.
        </Point>
      </ul>
      <Button className="text-danger! sm:justify-self-end" disabled={!config} onClick={() => setOpen(true)}>
        Delete account…
      </Button>
      {config && (
        <DeleteAccountDialog
          open={open}
          onOpenChange={setOpen}
          user={user}
          deletionDays={config.accounts.deletionDays}
        />
      )}
    </Section>
  )
}

function Point({ Icon, title, children }: { Icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="min-w-0">
        <h3 className="font-semibold">{title}</h3>
        <p className="text-pretty text-muted">{children}</p>
      </div>
    </li>
  )
}
