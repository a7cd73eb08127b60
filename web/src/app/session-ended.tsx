import { Dialog } from 'radix-ui'
import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { useFocusReturn } from '../components/ui/dialog.tsx'
import { shownToast } from '../components/ui/toast-store.ts'
import { LoginForm } from '../features/auth/login-form.tsx'
import { useUploadDialogState } from '../features/upload/dialog-state.ts'
import { useStore } from '../lib/store.ts'
import { isPrintWizardOpen } from '../photos/printing.ts'

/**
 * Covers a screen whose user is not signed in any more. The user logs in right here: the screen below, with its dialogs and
 * all that was typed, stays.
 */
export default function SessionEnded({ userId }: { userId: number }) {
  const { pathname } = useLocation()
  const upload = useUploadDialogState()
  const isOrdering = useStore(isPrintWizardOpen)
  // These say it themselves, and keep what was entered outside the screen.
  const open = !upload.open && !isOrdering
  const returnFocus = useFocusReturn(open)
  // The failure that the ended session has caused needs no second message.
  useEffect(() => shownToast.set(null), [])
  return (
    <Dialog.Root open={open}>
      <Dialog.Portal>
        <Dialog.Content
          onCloseAutoFocus={returnFocus}
          className="fixed inset-0 z-55 overflow-y-auto bg-bg px-4 py-8 outline-none sm:py-20"
        >
          <div className="mx-auto max-w-sm rounded-lg bg-surface px-5 py-6 shadow-low ring ring-line sm:px-7">
            <img src="/icon.svg" alt="" width={40} height={40} />
            <Dialog.Title asChild>
              <h1 className="mt-4 text-2xl font-bold">Your session has ended</h1>
            </Dialog.Title>
            <Dialog.Description className="mt-1 mb-5 text-pretty text-muted">
              {`${pathname.startsWith('/folders/') ? 'Please log in to view your folders.' : 'Log in to continue where you were.'} What you entered is kept.`}
            </Dialog.Description>
            <LoginForm resumes={userId} />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
