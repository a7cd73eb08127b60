import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { userQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { cx } from '../../lib/cx.ts'
import { usePrinting } from '../../photos/printing.ts'
import { Banner } from './banner.tsx'
import type { NextButton } from './step-parts.tsx'
import { CompleteStep, useCompleteNext } from './steps/complete-step.tsx'
import { OrderStep, useOrderNext } from './steps/order-step.tsx'
import { ProductsStep, useProductsNext } from './steps/products-step.tsx'
import { StoresStep, useStoresNext } from './steps/stores-step.tsx'
import { UploadStep, useUploadNext } from './steps/upload-step.tsx'
import { goTo, type Step, stepBefore } from './wizard-state.ts'
import { type Activity, change, isSubmitting, setOrder, useActivity, useWizard } from './wizard-store.ts'

const STEPS: Record<Step, { title: string; Content: ComponentType; useNext: () => NextButton }> = {
  upload: { title: 'Upload', Content: UploadStep, useNext: useUploadNext },
  products: { title: 'Products', Content: ProductsStep, useNext: useProductsNext },
  stores: { title: 'Stores', Content: StoresStep, useNext: useStoresNext },
  order: { title: 'Order', Content: OrderStep, useNext: useOrderNext },
  complete: { title: 'Complete', Content: CompleteStep, useNext: useCompleteNext },
}

/** The print wizard: five steps from photos to an order. Closing it asks when something would be lost. */
export function WizardDialog() {
  const state = useWizard()
  const { busy } = useActivity()
  const { sandbox } = usePrinting()
  const { data: user } = useQuery(userQuery)
  const isSubmittingNow = isSubmitting(busy)
  const hasChoices = state.step === 'upload' ? state.photos.some(({ picture }) => picture) : state.step !== 'complete'
  const asksToClose = isSubmittingNow || hasChoices
  const phase = isSubmittingNow ? busy : 'editing'
  // The question belongs to its phase: when that ends it closes.
  const [asked, setAsked] = useState<string | null>(null)
  const leave = useBackButton(stepBack)
  const { Content } = STEPS[state.step]
  // A placed order says itself where it was sent.
  const sentTo = state.step === 'complete' ? state.outcome?.environment : undefined

  /** The browser's back button goes one step back; false closes the wizard. */
  function stepBack(): boolean {
    const before = isSubmittingNow ? null : stepBefore(state.step)
    if (before) change(goTo, before)
    else if (asksToClose) setAsked(phase)
    else setOrder(null)
    return before !== null || asksToClose
  }

  function requestClose(): void {
    if (asksToClose) setAsked(phase)
    else close()
  }

  function close(): void {
    setAsked(null)
    setOrder(null)
    leave()
  }

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
        footer={<Buttons key={state.step} step={state.step} onClose={requestClose} />}
      >
        <StepList step={state.step} />
        {(sentTo ? sentTo === 'sandbox' : sandbox) && (
          <p className="mb-4 rounded-md bg-warn-soft px-4 py-2 text-sm font-semibold text-warn">
            Sandbox: nothing is printed
          </p>
        )}
        <Banner />
        <Content key={state.step} />
      </Dialog>
      {/* Screen readers hear that the session has ended, wherever the focus is. */}
      <p role="status" className="sr-only">
        {user === null && 'Your session has ended. Your order is kept.'}
      </p>
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

/** The five numbered steps; on phones only the current one has its name. */
function StepList({ step }: { step: Step }) {
  const steps = Object.keys(STEPS) as Step[]
  const current = steps.indexOf(step)
  const list = useRef<HTMLOListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step begins at its top
  useEffect(() => {
    list.current?.scrollIntoView({ block: 'nearest' })
  }, [step])
  return (
    <ol ref={list} aria-label="Steps" className="mb-4 scroll-mt-4 flex items-center gap-1.5 text-sm sm:gap-2">
      {steps.map((id, index) => (
        <li
          key={id}
          aria-current={index === current ? 'step' : undefined}
          className={cx(
            'flex items-center gap-1.5 sm:gap-2 [&:not(:last-child)]:flex-1',
            index > current ? 'text-muted' : 'text-text',
          )}
        >
          <span
            className={cx(
              'grid size-7 shrink-0 place-items-center rounded-full font-semibold',
              index === current && 'bg-accent text-on-accent',
              index < current && 'bg-accent-soft text-accent',
              index > current && 'bg-sunken',
            )}
          >
            {index < current ? <Check aria-hidden className="size-4" /> : <span>{index + 1}</span>}
            {index < current && <span className="sr-only">{`${index + 1}, done:`}</span>}
          </span>
          <span className={cx(index === current ? 'font-semibold' : 'max-sm:sr-only')}>{STEPS[id].title}</span>
          {index < steps.length - 1 && <span aria-hidden className="h-px min-w-2 flex-1 bg-line" />}
        </li>
      ))}
    </ol>
  )
}

/** Back, or Close where there is no way back, and what leads on. */
function Buttons({ step, onClose }: { step: Step; onClose: () => void }) {
  const { busy } = useActivity()
  const { note, other, disabled, ...next } = STEPS[step].useNext()
  const before = stepBefore(step)
  // While the browser asks for its position, the user may choose or leave.
  const isWaiting = busy !== null && busy !== 'locate'
  return (
    <>
      {note !== undefined && (
        <p className="mr-auto self-center text-sm text-muted max-sm:basis-full! sm:max-w-72" role="status">
          {note}
        </p>
      )}
      {before ? (
        <Button disabled={isWaiting} onClick={() => change(goTo, before)}>
          Back
        </Button>
      ) : (
        <Button onClick={onClose}>{step === 'complete' ? 'Close' : 'Cancel'}</Button>
      )}
      {other}
      <Button variant="primary" disabled={isWaiting || disabled} {...next} />
    </>
  )
}

/**
 * Gives the wizard a history entry of its own, so that the browser's back button belongs to it: `onBack` returns false
 * when the wizard has closed. Returns a function that removes the entry after the wizard has closed otherwise.
 */
function useBackButton(onBack: () => boolean): () => void {
  const navigate = useNavigate()
  const { state, pathname, search, key } = useLocation()
  const isOwn = (state as { printWizard?: true } | null)?.printWizard === true
  const entered = useRef(isOwn)

  const arrive = useEffectEvent(() => {
    if (!isOwn && entered.current && !onBack()) return
    entered.current = true
    if (isOwn) return
    navigate(
      { pathname, search },
      { state: { ...(state as object | null), printWizard: true }, preventScrollReset: true },
    )
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each history entry is an arrival
  useEffect(() => arrive(), [key])

  return () => {
    if (isOwn) navigate(-1)
  }
}
