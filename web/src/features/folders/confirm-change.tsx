import { type ComponentProps, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'

interface ConfirmChangeProps {
  open: boolean
  onClose: () => void
  change: { isPending: boolean; isError: boolean; reset: () => void }
  title: string
  description: string
  confirmLabel: string
  danger?: boolean
  onConfirm: (options: { onSuccess: () => void }) => void
}

/** Asks before a change, stays open while it is made, and offers to retry it after a failure. */
export function ConfirmChange({ onClose, change, confirmLabel, onConfirm, ...question }: ConfirmChangeProps) {
  function close(): void {
    onClose()
    change.reset()
  }

  return (
    <ConfirmDialog
      {...question}
      onOpenChange={(open) => !open && !change.isPending && close()}
      confirmLabel={change.isError ? 'Retry' : confirmLabel}
      busy={change.isPending}
      onConfirm={() => onConfirm({ onSuccess: close })}
    />
  )
}

interface ConfirmButtonProps extends Omit<ConfirmChangeProps, 'open' | 'onClose'> {
  button: ComponentProps<typeof Button>
}

/** A button whose change is made when the user has confirmed it. */
export function ConfirmButton({ button, ...question }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      <ConfirmChange {...question} open={open} onClose={() => setOpen(false)} />
    </>
  )
}
