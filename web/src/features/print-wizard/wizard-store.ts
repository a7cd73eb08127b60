import type { OrderFigures, SubmitBody } from '../../api/print-orders.ts'
import { remember, rememberedValue } from '../../lib/remember.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { isPrintWizardOpen } from '../../photos/printing.ts'
import { ORDER_KEY } from './kept-order.ts'
import type { WizardState } from './wizard-state.ts'

/** A draft of another version is dropped. */
const VERSION = 3

/** What is running now; it does not survive a reload. */
export interface Activity {
  busy: 'photos' | 'upload' | 'products' | 'locate' | 'stores' | 'prepare' | 'place' | null
  /** The coupon is checked beside the other work. */
  checkingCoupon: boolean
  /** So is the user's last store read. */
  findingLastStore: boolean
  /** 0 to 100. */
  progress: number
  text: string
}

const IDLE: Activity = { busy: null, checkingCoupon: false, findingLastStore: false, progress: 0, text: '' }

/** The order that is being made; null while the wizard is closed. */
export const draft = createStore<WizardState | null>(null)
export const activity = createStore<Activity>(IDLE)

/** True from the click on Submit Order to its result. */
export function isSubmitting(busy: Activity['busy']): boolean {
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

let closing = new AbortController()

/** Starts an order, continues a saved one, or ends it (null). The tab keeps it over a reload until it is placed. */
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
export type Session = ReturnType<typeof currentSession>

/** The present wizard's session. Its signal aborts when the wizard is closed. */
export function currentSession() {
  const { signal } = closing
  const report = (next: Partial<Activity>) => {
    if (!signal.aborted) activity.set({ ...activity.get(), ...next })
  }
  const changeOpen: typeof change = (transition, ...args) => {
    if (!signal.aborted) change(transition, ...args)
  }
  return {
    signal,
    /** The order; null when the wizard is closed. */
    order: () => (signal.aborted ? null : draft.get()),
    change: changeOpen,
    /** Starts or ends work; null ends it. */
    setBusy: (busy: Activity['busy'], progress = 0, text = '') => report({ busy, progress, text }),
    setCheckingCoupon: (checkingCoupon: boolean) => report({ checkingCoupon }),
    setFindingLastStore: (findingLastStore: boolean) => report({ findingLastStore }),
  }
}

export function savedOrder(userId: number): WizardState | null {
  const saved = readKept<{ version: number; state: WizardState }>(ORDER_KEY)
  return saved?.version === VERSION && saved.state.userId === userId ? saved.state : null
}

/** An order that was placed is on /orders. */
function save(state: WizardState | null): void {
  keep(ORDER_KEY, state && state.step !== 'complete' ? { version: VERSION, state } : null)
}

/** An order that was sent, until it is certain what became of it. Nobody else's order is sent before that. */
export interface Attempt {
  userId: number
  /** The wizard session that sent it. */
  session: string
  /** Under this key it is placed once, however often it is sent. */
  key: string
  /** Exactly what was sent. */
  body: SubmitBody
  /** What the user saw. */
  figures: OrderFigures
  remember: boolean
  /** The last time, in milliseconds. */
  sentAt: number
}

const lastAttempt = createStore<Attempt | null>(null)

/** The order of this user whose fate is not known; null if there is none. */
export function unknownAttempt(userId: number): Attempt | null {
  return ofUser(lastAttempt.get(), userId)
}

export function useUnknownAttempt(userId: number): Attempt | null {
  return ofUser(useStore(lastAttempt), userId)
}

function ofUser(attempt: Attempt | null, userId: number): Attempt | null {
  return attempt?.userId === userId ? attempt : null
}

const storageKey = (userId: number) => `skyfolio-print-attempt-${userId}`

/** Reads what this tab kept for the user over a reload. */
export function recallAttempt(userId: number): void {
  if (lastAttempt.get()?.userId !== userId) lastAttempt.set(readKept(storageKey(userId)))
}

/** To be called before it is sent: after a reload the tab still knows it. */
export function keepAttempt(attempt: Attempt): void {
  lastAttempt.set(attempt)
  keep(storageKey(attempt.userId), attempt)
}

/** To be called when its fate is certain. */
export function forgetAttempt({ userId, key }: Attempt): void {
  if (lastAttempt.get()?.key === key) lastAttempt.set(null)
  if (readKept<Attempt>(storageKey(userId))?.key === key) keep(storageKey(userId), null)
}

/** What this tab keeps over a reload, by its key in the session storage. */
function readKept<T>(key: string): T | null {
  return rememberedValue<T>(key, 'sessionStorage')
}

/** Keeps a value over a reload; null removes it. Without storage the server still knows the prints of an order that was sent. */
function keep(key: string, value: object | null): void {
  remember(key, value && JSON.stringify(value), 'sessionStorage')
}
