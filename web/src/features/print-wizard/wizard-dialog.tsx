import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { userQuery } from '../../api/queries.ts'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { usePrinting } from '../../photos/use-printing.ts'
import { Banner } from './banner.tsx'
import { StepList } from './step-list.tsx'
import { CompleteButtons, CompleteStep } from './steps/complete-step.tsx'
import { OrderButtons, OrderStep } from './steps/order-step.tsx'
import { ProductsButtons, ProductsStep } from './steps/products-step.tsx'
import { StoresButtons, StoresStep } from './steps/stores-step.tsx'
import { UploadButtons, UploadStep } from './steps/upload-step.tsx'
import { useBackButton } from './use-back-button.ts'
import { goTo, stepBefore } from './wizard-state.ts'
import { type Activity, change, currentOrder, isSubmitting, setOrder, useActivity, useWizard } from './wizard-store.ts'
import type { WizardState } from './wizard-types.ts'

const CONTENT = {
  upload: UploadStep,
  products: ProductsStep,
  stores: StoresStep,
  order: OrderStep,
  complete: CompleteStep,
}
const BUTTONS = {
  upload: UploadButtons,
  products: ProductsButtons,
  stores: StoresButtons,
  order: OrderButtons,
  complete: CompleteButtons,
}

/** The print wizard: five steps from photos to an order. Closing it asks when something would be lost. */
export default function WizardDialog() {
  const state = useWizard()
  const { busy } = useActivity()
  const isSandbox = useSandbox(state)
  const phase = isSubmitting({ busy }) ? busy : 'editing'
  // The question belongs to its phase: when that ends it closes.
  const [asked, setAsked] = useState<string | null>(null)
  const leave = useBackButton(stepBack)

  /** The browser's back button goes one step back; false closes the wizard. */
  function stepBack(): boolean {
    const order = currentOrder()
    const before = order && !isSubmitting({ busy }) && stepBefore(order.step)
    if (before) change(goTo, before)
    else if (order && (wouldLose(order) || isSubmitting({ busy }))) setAsked(phase)
    else {
      setOrder(null)
      return false
    }
    return true
  }

  function requestClose(): void {
    if (wouldLose(state) || isSubmitting({ busy })) setAsked(phase)
    else close()
  }

  function close(): void {
    setAsked(null)
    setOrder(null)
    leave()
  }

  const Content = CONTENT[state.step]
  const Buttons = BUTTONS[state.step]
  return (
    <>
      {/* Before the dialog: it is the last to return the focus when both close. */}
      <ConfirmDialog
        open={asked === phase && state.step !== 'complete'}
        onOpenChange={(open) => setAsked(open ? phase : null)}
        onConfirm={close}
        {...closeQuestion(busy)}
      />
      <Dialog
        open
        onOpenChange={(open) => !open && requestClose()}
        title="Order Prints"
        description="Same Day Pickup at Walgreens"
        size="large"
        footer={<Buttons onClose={requestClose} />}
      >
        <StepList step={state.step} />
        {isSandbox && <SandboxNotice />}
        <Banner />
        <Content key={state.step} />
      </Dialog>
      <SignedOutKeepsOrder />
    </>
  )
}

/** While the photos are prepared nothing has been ordered; afterwards the order cannot be taken back. */
function closeQuestion(busy: Activity['busy']) {
  if (busy === 'place') {
    const description = 'It has been sent and cannot be stopped. If the store takes it, your orders list it.'
    return { title: 'Close while the order is at the store?', description, confirmLabel: 'Close' }
  }
  const lost = 'The prints, the store and the details that you entered are not kept.'
  const description = busy === 'prepare' ? `Nothing has been ordered yet. ${lost}` : lost
  return { title: 'Discard this order?', description, confirmLabel: 'Discard', danger: true }
}

/** A placed order says itself where it was sent. */
function useSandbox({ step, outcome }: WizardState): boolean {
  const { sandbox } = usePrinting()
  if (step !== 'complete' || !outcome?.environment) return sandbox
  return outcome.environment === 'sandbox'
}

/** True when the user has made choices that closing would discard. */
function wouldLose({ step, photos }: WizardState): boolean {
  if (step === 'complete') return false
  return step !== 'upload' || photos.some(({ picture }) => picture !== null)
}

function SandboxNotice() {
  return (
    <p className="mb-4 rounded-md bg-warn-soft px-4 py-2 text-sm font-semibold text-warn">
      Sandbox: nothing is printed
    </p>
  )
}

/** Screen readers hear that the session has ended, wherever the focus is. */
function SignedOutKeepsOrder() {
  const { data: user } = useQuery(userQuery)
  return (
    <p role="status" className="sr-only">
      {user === null && 'Your session has ended. Your order is kept.'}
    </p>
  )
}
