import { ConfirmDialog } from '../components/ui/confirm-dialog.tsx'
import type { MarkQuestion } from './use-mark-for-printing.ts'

interface MarkDialogProps {
  /** Null: closed. */
  question: MarkQuestion | null
  onAnswer: (mark: boolean) => void
}

/** Asks before a photo is marked for printing that leaves a folder with votes. */
export function MarkDialog({ question, onAnswer }: MarkDialogProps) {
  return (
    <ConfirmDialog
      open={question !== null}
      onOpenChange={(open) => !open && onAnswer(false)}
      title="Mark for printing?"
      description={question && describe(question)}
      confirmLabel="Mark for printing"
      onConfirm={() => onAnswer(true)}
    />
  )
}

function describe({ folder, votes }: MarkQuestion): string {
  const leaves = `It moves to the folder Printed and leaves “${folder.name}”`
  if (votes === 0) return `${leaves}: visitors can no longer vote for it.`
  return `${leaves}, its votes no longer count. Once it is back they count again, except those that were changed meanwhile.`
}
