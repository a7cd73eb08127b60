import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { activeUserQuery, settingsQuery, userQuery } from '../../api/queries.ts'
import { useStore } from '../../lib/use-store.ts'
import { rememberSettings, SETTINGS_KEY } from '../../photos/settings.ts'
import { onAccountChanged } from './account-channel.ts'
import { ProfileGuard } from './profile-guard.tsx'
import { isSettingsOpen } from './settings-store.ts'

const SettingsDialog = lazy(() => import('./settings-dialog.tsx'))

/** The parts of the account that outlive a screen: the settings, and the guard of an edited profile. */
export function AccountCenter() {
  const { data: user } = useQuery(activeUserQuery)
  useRememberedSettings(user?.id ?? null)
  useFreshAccount()
  const isOpen = useStore(isSettingsOpen)
  return (
    <>
      <ProfileGuard />
      {isOpen && user && (
        <Suspense>
          <SettingsDialog onClose={() => isSettingsOpen.set(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The account is read again when a link of a mail has changed it in another tab. */
function useFreshAccount(): void {
  const client = useQueryClient()
  useEffect(() => onAccountChanged(() => void client.invalidateQueries({ queryKey: userQuery.queryKey })), [client])
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
