import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { activeUserQuery, settingsQuery, userQuery } from '../../api/queries.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { useUnsavedEdits } from '../../components/unsaved-edits.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { useStore } from '../../lib/store.ts'
import { rememberSettings, SETTINGS_KEY } from '../../photos/settings.ts'
import { onAccountChanged } from './account-channel.ts'
import { discardEdits, hasEdits, profileDraft } from './profile-draft.ts'
import { isSettingsOpen } from './settings-store.ts'

const SettingsDialog = lazyComponent(() => import('./settings-dialog.tsx').then((code) => code.SettingsDialog), {
  onFailure: ({ onClose }) => {
    toast({ title: 'The settings could not be opened', description: UNREACHABLE, tone: 'danger' })
    onClose()
  },
})

const LOGOUT_TEXTS = {
  title: 'Log out without saving?',
  description: 'Your profile has changes that were not saved. Logging out discards them.',
  cancelLabel: 'Cancel',
  confirmLabel: 'Log out',
}

/** The parts of the account that outlive a screen: the settings, and the guard of an edited profile. */
export function AccountCenter() {
  const { data: user } = useQuery(activeUserQuery)
  useRememberedSettings(user?.id ?? null)
  const client = useQueryClient()
  // A link of a mail has changed the account in another tab.
  useEffect(() => onAccountChanged(() => void client.invalidateQueries({ queryKey: userQuery.queryKey })), [client])
  const isOpen = useStore(isSettingsOpen)
  return (
    <>
      <ProfileGuard />
      {isOpen && user && <SettingsDialog onClose={() => isSettingsOpen.set(false)} />}
    </>
  )
}

/** Other tabs of the browser read the settings again when one has changed them. */
function useRememberedSettings(userId: number | null): void {
  const client = useQueryClient()
  const { data } = useQuery({ ...settingsQuery, enabled: userId !== null })
  useEffect(() => {
    if (userId !== null && data) rememberSettings(userId, data)
  }, [userId, data])
  useEffect(() => {
    const changedElsewhere = ({ key }: StorageEvent) => {
      if (key === SETTINGS_KEY) void client.invalidateQueries({ queryKey: settingsQuery.queryKey })
    }
    addEventListener('storage', changedElsewhere)
    return () => removeEventListener('storage', changedElsewhere)
  }, [client])
}

/**
 * Edits of the profile that were not saved stay when its screen is left, which a toast says. Closing the page and
 * signing out would lose them: both ask first.
 */
function ProfileGuard() {
  const { data: user } = useQuery(activeUserQuery)
  const edited = hasEdits(user, useStore(profileDraft))
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const before = useRef(pathname)
  const navigated = useEffectEvent(() => {
    const left = before.current === '/profile' && pathname !== '/profile'
    before.current = pathname
    if (!left || !edited) return
    toast({
      title: 'Profile not saved',
      description: 'Your changes are kept while this page is open.',
      tone: 'danger',
      action: { label: 'Back to profile', onSelect: () => void navigate('/profile') },
    })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another screen is an arrival
  useEffect(() => navigated(), [pathname])
  return useUnsavedEdits(edited, LOGOUT_TEXTS, discardEdits).question
}
