import { createStore, useStore } from '../../lib/store.ts'
import { isPrintWizardOpen } from '../../photos/open-print-wizard.ts'
import { ORDER_KEY } from './kept-order.ts'
import type { WizardState } from './wizard-types.ts'

/** A draft of another version is dropped. */
const VERSION = 2

/** What is running now; it does not survive a reload. */
export interface Activity {
  busy: 'upload' | 'products' | 'locate' | 'stores' | 'prepare' | 'place' | null
  /** The coupon is checked beside the other work. */
  checkingCoupon: boolean
  /** 0 to 100. */
  progress: number
  text: string
}

const IDLE: Activity = { busy: null, checkingCoupon: false, progress: 0, text: '' }

/** The order that is being made; null while the wizard is closed. */
export const draft = createStore<WizardState | null>(null)
export const activity = createStore<Activity>(IDLE)

/** True from the click on Submit Order to its result. */
export function isSubmitting({ busy }: Pick<Activity, 'busy'>): boolean {
  return busy === 'prepare' || busy === 'place'
}

export function useActivity(): Activity {
  return useStore(activity)
}

/** The wizard's state, inside the open wizard. */
export function useWizard(): WizardState {
  const state = useStore(draft)
  if (!state) throw new Error('The print wizard is closed')
  return state
}

/** The current state; null when the wizard has been closed meanwhile. */
export function currentOrder(): WizardState | null {
  return draft.get()
}

/** Starts an order, continues a saved one, or ends it (null). The tab keeps it over a reload. */
export function setOrder(state: WizardState | null): void {
  closing.abort()
  closing = new AbortController()
  isPrintWizardOpen.set(state !== null)
  draft.set(state)
  activity.set(IDLE)
  save(state)
}

/** Applies a change to the order. Nothing happens when the wizard has been closed meanwhile. */
export function change<Args extends unknown[]>(
  transition: (state: WizardState, ...args: Args) => WizardState,
  ...args: Args
): void {
  const state = draft.get()
  if (!state) return
  const next = transition(state, ...args)
  draft.set(next)
  save(next)
}

/** Work in the wizard that takes time. Once that wizard is closed, or opened anew, nothing that the work reports counts. */
export interface Session {
  /** Aborts when the wizard is closed. */
  signal: AbortSignal
  /** The order; null when the wizard is closed. */
  order(): WizardState | null
  change: typeof change
  /** Starts or ends work; null ends it. */
  setBusy(busy: Activity['busy'], progress?: number, text?: string): void
  setCheckingCoupon(checkingCoupon: boolean): void
}

let closing = new AbortController()

/** The present wizard's session. */
export function currentSession(): Session {
  const { signal } = closing
  const report = (next: Partial<Activity>) => {
    if (!signal.aborted) activity.set({ ...activity.get(), ...next })
  }
  return {
    signal,
    order: () => (signal.aborted ? null : draft.get()),
    change(transition, ...args) {
      if (!signal.aborted) change(transition, ...args)
    },
    setBusy: (busy, progress = 0, text = '') => report({ busy, progress, text }),
    setCheckingCoupon: (checkingCoupon) => report({ checkingCoupon }),
  }
}

/** The order that this tab kept for the user; null if there is none. */
export function savedOrder(userId: number): WizardState | null {
  const state = readSaved()
  return state?.userId === userId ? state : null
}

function readSaved(): WizardState | null {
  try {
    const saved = JSON.parse(sessionStorage.getItem(ORDER_KEY) ?? 'null') as SavedOrder | null
    return saved?.version === VERSION ? saved.state : null
  } catch {
    return null
  }
}

interface SavedOrder {
  version: number
  state: WizardState
}

function save(state: WizardState | null): void {
  try {
    if (state) sessionStorage.setItem(ORDER_KEY, JSON.stringify({ version: VERSION, state } satisfies SavedOrder))
    else sessionStorage.removeItem(ORDER_KEY)
  } catch {
    // Without storage a reload loses the order.
  }
}
