import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { IconButton } from '../../components/ui/button.tsx'

/** Closes a photo's dialog; on narrow screens it is on top of the picture. */
export function CloseButton() {
  return (
    <Dialog.Close asChild>
      <IconButton
        label="Close"
        icon={<X />}
        variant="overlay"
        className="absolute top-3 right-3 z-10 shadow-low beside:bg-surface beside:text-muted beside:shadow-none beside:hover:bg-sunken"
      />
    </Dialog.Close>
  )
}
