import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import { createStore } from '../../lib/store.ts'

export interface ToastContent {
  title: string
  description?: string
  /** What else the user should know, in a paragraph of its own. */
  note?: string
  /** `neutral`: neither a success nor a failure. */
  tone?: 'good' | 'neutral' | 'danger'
  /** One button, such as Retry; it is disabled, with a countdown, for the given number of seconds. */
  action?: { label: string; onSelect: () => void; afterSeconds?: number }
}

/** Where toasts are: on the page, or in the dialog on top of it. */
export type ToastPlace = 'page' | 'panel' | 'photo'

// Not beside their use: screens that show these icons would load the code of toasts.
export const TONES = {
  good: { Icon: CircleCheck, color: 'text-good' },
  neutral: { Icon: Info, color: 'text-muted' },
  danger: { Icon: CircleAlert, color: 'text-danger' },
}

export const shownToast = createStore<(ToastContent & { key: number }) | null>(null)
