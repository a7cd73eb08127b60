import { type ReactNode, useEffect, useState } from 'react'
import { setLeaveGuard } from '../lib/leave-guard.ts'
import { ConfirmDialog } from './ui/confirm-dialog.tsx'

export interface UnsavedEdits {
  /** Runs `leave` at once without edits, otherwise after the user has agreed to discard them. */
  mayDrop(leave: () => void): void
  /** The question. Rendered before the form's dialog it is the last to return the focus when both close. */
  question: ReactNode
}

const TEXTS = {
  title: 'Discard your changes?',
  description: 'Your changes were not saved.',
  cancelLabel: 'Keep editing',
  confirmLabel: 'Discard',
}

/** Asks before the edits of a form are dropped: when it closes, at logout, and when the page is closed. */
export function useUnsavedEdits(edited: boolean, texts = TEXTS, onDiscard?: () => void): UnsavedEdits {
  const [asked, setAsked] = useState<{ answer: (discard: boolean) => void } | null>(null)

  useEffect(() => {
    if (!edited) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    const removeGuard = setLeaveGuard(() => new Promise((answer) => setAsked({ answer })))
    return () => {
      removeEventListener('beforeunload', warn)
      removeGuard()
    }
  }, [edited])

  function decide(discard: boolean): void {
    setAsked(null)
    asked?.answer(discard)
    if (discard) onDiscard?.()
  }

  return {
    mayDrop: (leave) => (edited ? setAsked({ answer: (discard) => discard && leave() }) : leave()),
    question: (
      <ConfirmDialog
        open={asked !== null}
        onOpenChange={(open) => !open && decide(false)}
        {...texts}
        danger
        onConfirm={() => decide(true)}
      />
    ),
  }
}
