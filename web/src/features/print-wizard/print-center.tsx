import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Component, type ReactNode, useEffect, useEffectEvent } from 'react'
import { useLocation } from 'react-router-dom'
import { refreshPrinting } from '../../api/print-orders.ts'
import { activeUserQuery, userQuery } from '../../api/queries.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { UNREACHABLE } from '../../lib/http.ts'
import { useStore } from '../../lib/store.ts'
import { type PrintRequest, printRequest } from '../../photos/printing.ts'
import { openWizard } from './wizard-state.ts'
import { draft, recallAttempt, savedOrder, setOrder } from './wizard-store.ts'

/** The user signs in again, or reads the terms, and comes back to the same step. */
const SCREENS_WITHOUT = ['/auth', '/terms', '/privacy']

const WizardDialog = lazyComponent(() => import('./wizard-dialog.tsx').then((code) => code.WizardDialog), {
  Loading: LoadingWizard,
  onFailure: closeMissing,
})

/** The place of the print wizard in the frame. Its code is loaded when it opens. */
export function PrintCenter() {
  useRequests()
  useSavedOrder()
  const { pathname } = useLocation()
  const isOpen = useStore(draft) !== null
  const { data: user } = useQuery(userQuery)
  if (!isOpen || user?.deletesAt || SCREENS_WITHOUT.includes(pathname)) return null
  return (
    <CrashBoundary>
      <WizardDialog />
    </CrashBoundary>
  )
}

function LoadingWizard() {
  return (
    <div className="fixed inset-0 z-50 grid place-items-center bg-black/50 text-3xl">
      <Spinner label="Loading the print wizard" className="text-white" />
    </div>
  )
}

/** Closes the wizard whose code could not be loaded. Its order is kept. */
function closeMissing(): void {
  const order = draft.get()
  draft.set(null)
  const action = { label: 'Retry', onSelect: () => setOrder(order) }
  toast({ title: 'The print wizard could not be loaded', description: UNREACHABLE, tone: 'danger', action })
}

/** Removes the wizard when it crashes: a damaged draft does not take the page with it. */
class CrashBoundary extends Component<{ children: ReactNode }, { crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError(): { crashed: boolean } {
    return { crashed: true }
  }

  override componentDidCatch(): void {
    setOrder(null)
    toast({ title: 'The print wizard failed', description: 'Reload the page and try again.', tone: 'danger' })
  }

  override render(): ReactNode {
    return this.state.crashed ? null : this.props.children
  }
}

function useRequests(): void {
  const client = useQueryClient()
  const { data: user } = useQuery(activeUserQuery)
  const request = useStore(printRequest)
  const open = useEffectEvent((request: PrintRequest) => {
    if (!user) return
    setOrder(openWizard(user.id, request))
    refreshPrinting(client)
  })
  useEffect(() => {
    if (!request) return
    printRequest.set(null)
    open(request)
  }, [request])
}

/** Continues the order that this tab kept over a reload; another user's is dropped. */
function useSavedOrder(): void {
  const { data: user } = useQuery(activeUserQuery)
  const userId = user?.id
  useEffect(() => {
    if (userId === undefined) return
    recallAttempt(userId)
    if (draft.get()?.userId !== userId) setOrder(savedOrder(userId))
  }, [userId])
}
