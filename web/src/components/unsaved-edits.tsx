import { type ReactNode, useEffect, useState } from 'react'
import { setLeaveGuard } from '../lib/leave-guard.ts'
import { ConfirmDialog } from './ui/confirm-dialog.tsx'

export interface UnsavedEdits {
  /** Runs `leave` at once without edits, otherwise after the user has agreed to discard them. */
  mayDrop(leave: () => void): void
  /** The question, to be rendered by the form's dialog. */
  question: ReactNode
}

/** Asks before the edits of a form are dropped: when it closes, at logout, and when the page is closed. */
export function useUnsavedEdits(edited: boolean): UnsavedEdits {
  const [answer, setAnswer] = useState<((discard: boolean) => void) | null>(null)
  const ask = (onAnswer: (discard: boolean) => void) => setAnswer(() => onAnswer)

  useEffect(() => {
    if (!edited) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    const removeGuard = setLeaveGuard(() => new Promise(ask))
    return () => {
      removeEventListener('beforeunload', warn)
      removeGuard()
    }
  }, [edited])

  function decide(discard: boolean): void {
    setAnswer(null)
    answer?.(discard)
  }

  return {
    mayDrop: (leave) => (edited ? ask((discard) => discard && leave()) : leave()),
    question: <DiscardDialog open={answer !== null} onAnswer={decide} />,
  }
}

interface DiscardDialogProps {
  open: boolean
  onAnswer: (discard: boolean) => void
}

/** Asks whether unsaved edits may be dropped. */
export function DiscardDialog({ open, onAnswer }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onAnswer(false)}
      title="Discard changes?"
      description="Your changes are not saved."
      cancelLabel="Keep editing"
      confirmLabel="Discard"
      danger
      onConfirm={() => onAnswer(true)}
    />
  )
}
