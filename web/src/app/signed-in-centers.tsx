import { useEffect } from 'react'
import { loadMenus } from '../components/ui/menu.tsx'
import { loadToaster } from '../components/ui/toast.tsx'
import { AccountCenter } from '../features/account/account-center.tsx'
import { PasswordDialog } from '../features/account/password-dialog.tsx'
import { PrintCenter } from '../features/print-wizard/print-center.tsx'
import { UploadCenter } from '../features/upload/upload-center.tsx'

/** What outlives the screens of a signed-in user. */
export function SignedInCenters() {
  useEffect(loadMenus, [])
  useEffect(loadToaster, [])
  // It may be needed when the server answers nothing else.
  useEffect(() => void import('./session-ended.tsx').catch(() => {}), [])
  return (
    <>
      <UploadCenter />
      <PrintCenter />
      <AccountCenter />
      <PasswordDialog />
    </>
  )
}
